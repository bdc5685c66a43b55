"""Fields of an InferenceService for single runtimes: `vllmConfig`, `sglangConfig` and others."""

from typing import Annotated, Literal

from pydantic import Field

from ...kubernetes.core import KeySelector
from ...kubernetes.scalars import Boolean, Int32, Name, Number, PassedText, Text
from .model_spec import LLMKubeSpec


class PersonaPlexConfig(LLMKubeSpec):
    cpuOffload: Boolean = False
    """Move weights that do not fit the GPU to system memory; the image needs `accelerate`."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    quantize4Bit: Boolean = False
    """Load the weights in 4 bits; the image needs `bitsandbytes`."""


class SGLangAdapter(LLMKubeSpec):
    name: Name
    """Name that requests use."""
    path: Name
    """Folder of the adapter in the container, usually on one of `extraVolumes`."""


class SGLangSpeculative(LLMKubeSpec):
    acceptThresholdAcc: Annotated[Number, Field(ge=0, le=1)] | None = None
    """Threshold of an accepted sequence (`--speculative-accept-threshold-acc`)."""
    acceptThresholdSingle: Annotated[Number, Field(ge=0, le=1)] | None = None
    """Threshold of a single token (`--speculative-accept-threshold-single`)."""
    algorithm: Literal["EAGLE", "EAGLE3", "Medusa"] | None = None
    """Method (`--speculative-algorithm`); required with `enabled`."""
    draftModelPath: PassedText | None = None
    """The draft model: a Model, repository or path (`--speculative-draft-model-path`); required with `enabled`."""
    eagleTopK: Annotated[Int32, Field(ge=1)] | None = None
    """Branches of the draft tree (`--speculative-eagle-topk`)."""
    enabled: Boolean = False
    """Turns speculative decoding on; without it the other fields have no effect."""
    numDraftTokens: Annotated[Int32, Field(ge=1)] | None = None
    """Draft tokens proposed at each step (`--speculative-num-draft-tokens`); SGLang's choice by default."""
    numSteps: Annotated[Int32, Field(ge=1)] | None = None
    """Draft steps of each forward pass (`--speculative-num-steps`)."""


class SGLangConfig(LLMKubeSpec):
    attentionBackend: Literal["flashinfer", "flash_attn", "torch_native"] | None = None
    """Attention implementation (`--attention-backend`)."""
    chatTemplate: PassedText | None = None
    """Name or path of a chat template in place of the model's (`--chat-template`)."""
    chunkedPrefillSize: Annotated[Int32, Field(ge=512)] | None = None
    """Tokens in each chunk of prefill (`--chunked-prefill-size`)."""
    contextLength: Annotated[Int32, Field(ge=128)] | None = None
    """Maximum context length, in tokens (`--context-length`)."""
    dataParallelSize: Annotated[Int32, Field(ge=1)] | None = None
    """Copies of the model within one pod (`--dp-size`)."""
    enablePrefixCaching: Boolean = False
    """Reuse the KV cache of common prompt prefixes, which SGLang does by default."""
    expertParallelSize: Annotated[Int32, Field(ge=1)] | None = None
    """GPUs that share a model's experts (`--ep-size`)."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    kvCacheCustomDtype: PassedText | None = None
    """KV cache type that is not in the list of `kvCacheDtype`; takes precedence over it and is not checked."""
    kvCacheDtype: Literal["auto", "fp8_e5m2", "fp8_e4m3"] = "auto"
    """KV cache type (`--kv-cache-dtype`); `auto` gives no flag."""
    logLevel: Literal["debug", "info", "warning", "error"] | None = None
    """Log level (`--log-level`)."""
    loraAdapters: list[SGLangAdapter] = []
    """LoRA adapters (`--lora-paths`)."""
    loraModules: list[Text] = []
    """Older form of `loraAdapters`, each `name=path` or JSON with name and path; an adapter of the same name wins."""
    loraTargetModules: list[Text] = []
    """Modules that adapters may change (`--lora-target-modules`)."""
    maxLoraRank: Annotated[Int32, Field(ge=1)] | None = None
    """Maximum rank of an adapter (`--max-lora-rank`)."""
    maxRunningRequests: Annotated[Int32, Field(ge=1)] | None = None
    """Maximum number of concurrent requests (`--max-running-requests`)."""
    memFractionStatic: Annotated[Number, Field(ge=0.1, le=0.99)] | None = None
    """Share of GPU memory for weights and KV cache (`--mem-fraction-static`); only with GPUs."""
    quantization: PassedText | None = None
    """Quantization method (`--quantization`)."""
    reasoningParser: Literal["qwen3", "deepseek-r1"] | None = None
    """The parser that separates thinking from the answer (`--reasoning-parser`)."""
    skipTokenizerInit: Boolean = False
    """Start without a tokenizer (`--skip-tokenizer-init`)."""
    speculative: SGLangSpeculative | None = None
    """Speculative decoding."""
    tensorParallelSize: Annotated[Int32, Field(ge=1)] | None = None
    """GPUs that share one model (`--tp-size`); all GPUs of the pod by default."""
    toolCallParser: Literal["llama3", "qwen3", "qwen25", "hermes", "functionary", "mistral"] | None = None
    """The parser that separates tool calls from text (`--tool-call-parser`)."""
    trustRemoteCode: Boolean = False
    """Run code from the model's repository (`--trust-remote-code`)."""


class TGIConfig(LLMKubeSpec):
    dtype: Literal["float16", "bfloat16"] | None = None
    """Data type of the weights."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    maxInputLength: Int32 | None = None
    """Maximum length of the input, in tokens."""
    maxTotalTokens: Int32 | None = None
    """Maximum length of input and output together, in tokens."""
    quantize: Literal["bitsandbytes", "gptq", "awq", "eetq"] | None = None
    """Quantization method."""


class Speculative(LLMKubeSpec):
    enabled: Boolean = False
    """Turns speculative decoding on; without it the other fields have no effect."""
    model: Text = ""
    """The draft model: name of a Model in the same namespace, or a model id as vLLM takes it."""
    numSpeculativeTokens: Annotated[Int32, Field(ge=1, le=16)] = 4
    """Draft tokens proposed at each step."""


class VLLMConfig(LLMKubeSpec):
    attentionBackend: (
        Literal["FLASH_ATTN", "FLASHINFER", "XFORMERS", "flashinfer", "flash_attn", "xformers", "torch_sdpa"] | None
    ) = None
    """Attention implementation (`--attention-backend`)."""
    cpuOffloadGB: Annotated[Int32, Field(ge=0)] | None = None
    """System memory that extends each GPU's, in GB (`--cpu-offload-gb`); only with GPUs."""
    dtype: Literal["auto", "float16", "bfloat16"] | None = None
    """Data type of the weights."""
    enableChunkedPrefill: Boolean = False
    """Mix long prefills with decode steps."""
    enableExpertParallel: Boolean = False
    """Spread a model's experts over the GPUs."""
    enablePrefixCaching: Boolean = False
    """Reuse the KV cache of common prompt prefixes."""
    gpuMemoryUtilization: Annotated[Number, Field(ge=0.1, le=0.99)] | None = None
    """Share of GPU memory that vLLM takes; only with GPUs."""
    hfTokenSecretRef: KeySelector | None = None
    """Secret key with the Hugging Face token."""
    kvCacheCustomDtype: PassedText | None = None
    """KV cache type that is not in the list of `kvCacheDtype`; takes precedence over it and is not checked."""
    kvCacheDtype: Literal["auto", "fp8_e5m2", "fp8_e4m3"] = "auto"
    """KV cache type (`--kv-cache-dtype`); `auto` follows dtype and gives no flag."""
    maxModelLen: Int32 | None = None
    """Maximum context length, in tokens."""
    maxNumBatchedTokens: Annotated[Int32, Field(ge=512)] | None = None
    """Tokens batched in one step, the main setting for throughput."""
    quantization: Literal["awq", "gptq", "squeezellm", "fp8", "nvfp4", "mxfp4", "compressed-tensors"] | None = None
    """Quantization method of the checkpoint."""
    speculative: Speculative | None = None
    """Speculative decoding with a smaller draft model."""
    tensorParallelSize: Int32 | None = None
    """GPUs that share one model; all GPUs of the pod by default."""
