// Model services from a program in Go: the properties of a component are those of its manifest.
package main

import (
	"example.com/pulumi-modelservices/sdk/go/modelservices"
	"example.com/pulumi-modelservices/sdk/go/modelservices/llmkube"
	"example.com/pulumi-modelservices/sdk/go/modelservices/otterscale"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(deploy)
}

func deploy(ctx *pulumi.Context) error {
	settings := config.New(ctx, "")
	namespace := pulumi.String(settings.Get("namespace"))
	tag := settings.Get("tag")
	if tag == "" {
		tag = "server"
	}

	// A small chat model on CPU. What is only passed on, like an image, may be another resource's output.
	chat, err := modelservices.NewInferenceServiceComponent(ctx, "chat", &modelservices.InferenceServiceComponentArgs{
		Namespace: namespace,
		Model:     llmkube.ModelSpecArgs{Source: pulumi.String("https://models.example.com/chat-q4.gguf")},
		Spec: llmkube.InferenceServiceSpecArgs{
			ModelRef:    "chat",
			Image:       pulumi.Sprintf("registry.example.com/llama.cpp:%s", tag),
			ContextSize: pulumi.IntRef(4096),
			Resources:   &llmkube.ResourcesArgs{Cpu: pulumi.String("4"), Memory: pulumi.String("8Gi")},
		},
	})
	if err != nil {
		return err
	}

	// Decode and prefill pods behind an endpoint picker.
	qwen, err := modelservices.NewPrefillDecodeComponent(ctx, "qwen", &modelservices.PrefillDecodeComponentArgs{
		Namespace: namespace,
		Labels:    map[string]pulumi.StringInput{"team": pulumi.String("a")},
		Spec: otterscale.ModelServiceSpecArgs{
			Model:         otterscale.ModelSourceArgs{Name: "Qwen/Qwen3-8B", Image: pulumi.String("registry.example.com/qwen3-8b:1")},
			Engine:        otterscale.EngineArgs{},
			Accelerator:   otterscale.AcceleratorSpecArgs{Type: otterscale.AcceleratorSpecTypeNvidia},
			Decode:        otterscale.RoleSpecArgs{Replicas: pulumi.IntRef(2)},
			Prefill:       &otterscale.RoleSpecArgs{Replicas: pulumi.IntRef(1)},
			RoutingProxy:  &otterscale.RoutingProxySpecArgs{},
			InferencePool: &otterscale.InferencePoolSpecArgs{EndpointPicker: otterscale.PickerSpecArgs{}},
		},
	})
	if err != nil {
		return err
	}

	ctx.Export("endpoint", chat.Endpoint)
	ctx.Export("phases", pulumi.StringMap{"chat": chat.Phase, "qwen": qwen.Phase})
	return nil
}
