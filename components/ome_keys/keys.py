"""The documented keys of OME as constants, made from vocabulary.yaml by tools/ome_reference.py."""

from typing import Final, Literal, NewType

LabelKey = NewType("LabelKey", str)
AnnotationKey = NewType("AnnotationKey", str)

# Standard labels
MANAGED_BY: Final = LabelKey("ome.io/managed-by")
"""The tool or controller that looks after the object."""
COMPONENT: Final = LabelKey("ome.io/component")
"""The part that the object plays in its service or job."""
PART_OF: Final = LabelKey("ome.io/part-of")
"""The service or job that the object was made for."""
VERSION: Final = LabelKey("ome.io/version")
"""The OME release whose conventions the object follows."""

# Inference Service labels
SERVING_INFERENCESERVICE: Final = LabelKey("serving.ome.io/inferenceservice")
"""The InferenceService that the object serves."""
SERVING_COMPONENT: Final = LabelKey("serving.ome.io/component")
"""The serving part: engine, decoder or router (predictor in older text)."""
SERVING_REVISION: Final = LabelKey("serving.ome.io/revision")
"""Rollout number, five digits."""
SERVING_MODEL: Final = LabelKey("serving.ome.io/model")
"""The base model that is served."""
SERVING_RUNTIME: Final = LabelKey("serving.ome.io/runtime")
"""The serving runtime that serves it."""

# Training Job labels
TRAINING_JOB_NAME: Final = LabelKey("training.ome.io/job-name")
"""The TrainingJob that the object belongs to."""
TRAINING_JOB_UID: Final = LabelKey("training.ome.io/job-uid")
"""The UID of that TrainingJob in the cluster."""
TRAINING_REPLICA_TYPE: Final = LabelKey("training.ome.io/replica-type")
"""Launcher or worker."""
TRAINING_REPLICA_INDEX: Final = LabelKey("training.ome.io/replica-index")
"""Number of the replica among those of its type."""
TRAINING_FRAMEWORK: Final = LabelKey("training.ome.io/framework")
"""The training framework."""

# Benchmark Job labels
BENCHMARK_JOB_NAME: Final = LabelKey("benchmark.ome.io/job-name")
"""The BenchmarkJob that the object belongs to."""
BENCHMARK_TARGET_SERVICE: Final = LabelKey("benchmark.ome.io/target-service")
"""The service that is measured."""
BENCHMARK_TASK_TYPE: Final = LabelKey("benchmark.ome.io/task-type")
"""The kind of requests that are measured."""

# Infrastructure labels
INFRASTRUCTURE_CLUSTER: Final = LabelKey("infrastructure.ome.io/cluster")
"""The dedicated AI cluster, a queue of the scheduler."""
INFRASTRUCTURE_PROFILE: Final = LabelKey("infrastructure.ome.io/profile")
"""The hardware profile of that cluster."""
INFRASTRUCTURE_CAPACITY_RESERVATION: Final = LabelKey("infrastructure.ome.io/capacity-reservation")
"""The reservation whose machines are used."""

# Model labels
MODEL_NAME: Final = LabelKey("model.ome.io/name")
"""The name of the model."""
MODEL_TYPE: Final = LabelKey("model.ome.io/type")
"""What the model is for."""
MODEL_VENDOR: Final = LabelKey("model.ome.io/vendor")
"""Who publishes the model."""
MODEL_FORMAT: Final = LabelKey("model.ome.io/format")
"""The file format of the weights."""
MODEL_SIZE: Final = LabelKey("model.ome.io/size")
"""The number of parameters, with its unit."""

# Standard annotations
LAST_APPLIED_CONFIGURATION: Final = AnnotationKey("ome.io/last-applied-configuration")
"""The object as it was applied last, as JSON."""
RESOURCE_VERSION: Final = AnnotationKey("ome.io/resource-version")
"""A counter that tools keep for themselves."""

# Deployment Configuration annotations
DEPLOYMENT_MODE: Final = AnnotationKey("ome.io/deploymentMode")
"""Which workload serves the model."""
MIN_REPLICAS: Final = AnnotationKey("ome.io/min-replicas")
"""The fewest replicas."""
MAX_REPLICAS: Final = AnnotationKey("ome.io/max-replicas")
"""The most replicas."""
TARGET_UTILIZATION: Final = AnnotationKey("ome.io/target-utilization")
"""The utilisation that autoscaling aims for, in percent."""

# Autoscaling annotations
AUTOSCALING_ENABLE_KEDA: Final = AnnotationKey("autoscaling.ome.io/enable-keda")
"""Scale by KEDA instead of a HorizontalPodAutoscaler."""
AUTOSCALING_METRIC: Final = AnnotationKey("autoscaling.ome.io/metric")
"""What autoscaling watches."""
AUTOSCALING_TARGET: Final = AnnotationKey("autoscaling.ome.io/target")
"""The value of the metric that it aims for."""
KNATIVE_METRIC: Final = AnnotationKey("autoscaling.knative.dev/metric")
"""What the Knative autoscaler watches."""
KNATIVE_TARGET: Final = AnnotationKey("autoscaling.knative.dev/target")
"""The value that the Knative autoscaler aims for."""

# Model Configuration annotations
MODEL_STORAGE_URI: Final = AnnotationKey("model.ome.io/storage-uri")
"""Where the weights are."""
MODEL_QUANTIZATION: Final = AnnotationKey("model.ome.io/quantization")
"""The number format of the weights."""
MODEL_MAX_TOKENS: Final = AnnotationKey("model.ome.io/max-tokens")
"""The most tokens of one request."""
MODEL_CONTEXT_LENGTH: Final = AnnotationKey("model.ome.io/context-length")
"""The context window, in tokens."""

# Training Configuration annotations
TRAINING_DISTRIBUTED_BACKEND: Final = AnnotationKey("training.ome.io/distributed-backend")
"""The library that the replicas communicate with."""
TRAINING_CHECKPOINT_STRATEGY: Final = AnnotationKey("training.ome.io/checkpoint-strategy")
"""When a checkpoint is written."""
TRAINING_RESUME_FROM: Final = AnnotationKey("training.ome.io/resume-from")
"""The checkpoint that training goes on from."""

# Performance annotations
PERFORMANCE_GPU_MEMORY_FRACTION: Final = AnnotationKey("performance.ome.io/gpu-memory-fraction")
"""The share of GPU memory that the engine may take."""
PERFORMANCE_BATCH_SIZE: Final = AnnotationKey("performance.ome.io/batch-size")
"""The most requests in one batch."""
PERFORMANCE_MAX_BATCH_DELAY: Final = AnnotationKey("performance.ome.io/max-batch-delay")
"""How long a batch waits to fill up."""

# Security annotations
SECURITY_POD_SECURITY_POLICY: Final = AnnotationKey("security.ome.io/pod-security-policy")
"""The Pod Security Standard that the pods satisfy."""
SECURITY_NETWORK_POLICY: Final = AnnotationKey("security.ome.io/network-policy")
"""The NetworkPolicy that holds for the pods."""
SECURITY_SECRET_REF: Final = AnnotationKey("security.ome.io/secret-ref")
"""A Secret with credentials."""

# Storage annotations
STORAGE_CLASS: Final = AnnotationKey("storage.ome.io/class")
"""The StorageClass of the volume."""
STORAGE_SIZE: Final = AnnotationKey("storage.ome.io/size")
"""The size of the volume."""
STORAGE_ACCESS_MODE: Final = AnnotationKey("storage.ome.io/access-mode")
"""How nodes may mount the volume."""

# Monitoring annotations
MONITORING_SCRAPE: Final = AnnotationKey("monitoring.ome.io/scrape")
"""Whether Prometheus collects metrics."""
MONITORING_PORT: Final = AnnotationKey("monitoring.ome.io/port")
"""The port of the metrics."""
MONITORING_PATH: Final = AnnotationKey("monitoring.ome.io/path")
"""The path of the metrics."""

# OCI Specific annotations
OCI_COMPARTMENT_ID: Final = AnnotationKey("oci.ome.io/compartment-id")
"""The OCI compartment, by its OCID."""
OCI_REGION: Final = AnnotationKey("oci.ome.io/region")
"""The OCI region."""
OCI_AVAILABILITY_DOMAIN: Final = AnnotationKey("oci.ome.io/availability-domain")
"""The OCI availability domain."""

# Usage Examples annotations
BENCHMARK_TARGET_QPS: Final = AnnotationKey("benchmark.ome.io/target-qps")
"""The request rate that the benchmark aims for."""
BENCHMARK_DURATION: Final = AnnotationKey("benchmark.ome.io/duration")
"""How long the benchmark runs."""

# Values
ComponentValue = Literal["predictor", "trainer", "router", "engine", "decoder", "benchmark"]
ServingComponentValue = Literal["predictor", "router", "engine", "decoder"]
TrainingReplicaTypeValue = Literal["launcher", "worker"]
TrainingFrameworkValue = Literal["pytorch", "mpi"]
BenchmarkTaskTypeValue = Literal["text-to-text", "image-to-text", "text-to-embeddings", "image-to-embeddings"]
ModelTypeValue = Literal["text-generation", "embedding", "classification"]
ModelFormatValue = Literal["safetensors", "onnx"]
DeploymentModeValue = Literal[
    "Serverless",
    "RawDeployment",
    "MultiNodeRayVLLM",
    "MultiNode",
    "VirtualDeployment",
    "PDDisaggregated",
]
AutoscalingMetricValue = Literal["concurrency", "rps", "gpu-utilization"]
KnativeMetricValue = Literal["concurrency", "rps", "cpu", "memory"]
ModelQuantizationValue = Literal["fp16", "int8", "int4", "fp8", "fbgemm_fp8"]
TrainingDistributedBackendValue = Literal["nccl", "mpi", "gloo"]
TrainingCheckpointStrategyValue = Literal["epoch", "step", "time"]
SecurityPodSecurityPolicyValue = Literal["restricted", "baseline", "privileged"]
StorageAccessModeValue = Literal["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"]
