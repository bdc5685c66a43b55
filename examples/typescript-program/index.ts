// Model services from a program in TypeScript: the properties of a component are those of its manifest.
import * as modelservices from "@pulumi/modelservices";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";

// A small chat model on CPU. What is only passed on, like an image, may be another resource's output.
const chat = new modelservices.InferenceServiceComponent("chat", {
    namespace,
    model: { source: "https://models.example.com/chat-q4.gguf" },
    spec: {
        modelRef: "chat",
        image: pulumi.interpolate`registry.example.com/llama.cpp:${config.get("tag") ?? "server"}`,
        contextSize: 4096,
        resources: { cpu: "4", memory: "8Gi" },
    },
});

// Decode and prefill pods behind an endpoint picker.
const qwen = new modelservices.PrefillDecodeComponent("qwen", {
    namespace,
    labels: { team: "a" },
    spec: {
        model: { name: "Qwen/Qwen3-8B", image: "registry.example.com/qwen3-8b:1" },
        engine: {},
        accelerator: { type: "nvidia" },
        decode: { replicas: config.getNumber("decodeReplicas") ?? 2 },
        prefill: { replicas: 1 },
        routingProxy: {},
        inferencePool: { endpointPicker: {} },
    },
});

// An endpoint picker by itself, for pods and a pool of someone else's.
const picker = new modelservices.EPPComponent("picker", {
    namespace,
    poolName: "reranker",
    spec: { provider: "none", replicas: 2 },
});

export const endpoint = chat.endpoint;
export const phases = { chat: chat.phase, qwen: qwen.phase, picker: picker.phase };
export const reason = qwen.conditions.apply((conditions) => conditions[0].reason);
