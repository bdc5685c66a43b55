package program;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.modelservices.InferenceServiceComponent;
import com.pulumi.modelservices.InferenceServiceComponentArgs;
import com.pulumi.modelservices.PrefillDecodeComponent;
import com.pulumi.modelservices.PrefillDecodeComponentArgs;
import com.pulumi.modelservices.llmkube.inputs.InferenceServiceSpecArgs;
import com.pulumi.modelservices.llmkube.inputs.ModelSpecArgs;
import com.pulumi.modelservices.llmkube.inputs.ResourcesArgs;
import com.pulumi.modelservices.otterscale.enums.AcceleratorSpecType;
import com.pulumi.modelservices.otterscale.inputs.AcceleratorSpecArgs;
import com.pulumi.modelservices.otterscale.inputs.EngineArgs;
import com.pulumi.modelservices.otterscale.inputs.InferencePoolSpecArgs;
import com.pulumi.modelservices.otterscale.inputs.ModelServiceSpecArgs;
import com.pulumi.modelservices.otterscale.inputs.ModelSourceArgs;
import com.pulumi.modelservices.otterscale.inputs.PickerSpecArgs;
import com.pulumi.modelservices.otterscale.inputs.RoleSpecArgs;
import com.pulumi.modelservices.otterscale.inputs.RoutingProxySpecArgs;
import java.util.Map;

/** Model services from a program in Java: the properties of a component are those of its manifest. */
public final class App {
    public static void main(String[] args) {
        Pulumi.run(App::deploy);
    }

    private static void deploy(Context context) {
        var namespace = context.config().require("namespace");
        var tag = context.config().get("tag").orElse("server");

        // A small chat model on CPU. What is only passed on, like an image, may be another resource's output.
        var chat = new InferenceServiceComponent("chat", InferenceServiceComponentArgs.builder()
            .namespace(namespace)
            .model(ModelSpecArgs.builder().source("https://models.example.com/chat-q4.gguf").build())
            .spec(InferenceServiceSpecArgs.builder()
                .modelRef("chat")
                .image("registry.example.com/llama.cpp:" + tag)
                .contextSize(4096)
                .resources(ResourcesArgs.builder().cpu("4").memory("8Gi").build())
                .build())
            .build());

        // Decode and prefill pods behind an endpoint picker.
        var qwen = new PrefillDecodeComponent("qwen", PrefillDecodeComponentArgs.builder()
            .namespace(namespace)
            .labels(Map.of("team", "a"))
            .spec(ModelServiceSpecArgs.builder()
                .model(ModelSourceArgs.builder()
                    .name("Qwen/Qwen3-8B")
                    .image("registry.example.com/qwen3-8b:1")
                    .build())
                .engine(EngineArgs.builder().build())
                .accelerator(AcceleratorSpecArgs.builder().type(AcceleratorSpecType.Nvidia).build())
                .decode(RoleSpecArgs.builder().replicas(2).build())
                .prefill(RoleSpecArgs.builder().replicas(1).build())
                .routingProxy(RoutingProxySpecArgs.builder().build())
                .inferencePool(InferencePoolSpecArgs.builder()
                    .endpointPicker(PickerSpecArgs.builder().build())
                    .build())
                .build())
            .build());

        context.export("endpoint", chat.endpoint());
        context.export("phases", Output.tuple(chat.phase(), qwen.phase())
            .applyValue(phases -> Map.of("chat", phases.t1, "qwen", phases.t2)));
    }
}
