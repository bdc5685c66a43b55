"""The documented keys of OME as constants, made from vocabulary.yaml by tools/ome_reference.py."""

from typing import Final, NewType

LabelKey = NewType("LabelKey", str)
AnnotationKey = NewType("AnnotationKey", str)

# Standard labels
MANAGED_BY: Final = LabelKey("ome.io/managed-by")
COMPONENT: Final = LabelKey("ome.io/component")
PART_OF: Final = LabelKey("ome.io/part-of")
VERSION: Final = LabelKey("ome.io/version")

# Inference Service labels
SERVING_INFERENCESERVICE: Final = LabelKey("serving.ome.io/inferenceservice")
SERVING_COMPONENT: Final = LabelKey("serving.ome.io/component")
SERVING_REVISION: Final = LabelKey("serving.ome.io/revision")
SERVING_MODEL: Final = LabelKey("serving.ome.io/model")
SERVING_RUNTIME: Final = LabelKey("serving.ome.io/runtime")

# Training Job labels
TRAINING_JOB_NAME: Final = LabelKey("training.ome.io/job-name")
TRAINING_JOB_UID: Final = LabelKey("training.ome.io/job-uid")
TRAINING_REPLICA_TYPE: Final = LabelKey("training.ome.io/replica-type")
TRAINING_REPLICA_INDEX: Final = LabelKey("training.ome.io/replica-index")
TRAINING_FRAMEWORK: Final = LabelKey("training.ome.io/framework")

# Benchmark Job labels
BENCHMARK_JOB_NAME: Final = LabelKey("benchmark.ome.io/job-name")
BENCHMARK_TARGET_SERVICE: Final = LabelKey("benchmark.ome.io/target-service")
BENCHMARK_TASK_TYPE: Final = LabelKey("benchmark.ome.io/task-type")

# Infrastructure labels
INFRASTRUCTURE_CLUSTER: Final = LabelKey("infrastructure.ome.io/cluster")
INFRASTRUCTURE_PROFILE: Final = LabelKey("infrastructure.ome.io/profile")
INFRASTRUCTURE_CAPACITY_RESERVATION: Final = LabelKey("infrastructure.ome.io/capacity-reservation")

# Model labels
MODEL_NAME: Final = LabelKey("model.ome.io/name")
MODEL_TYPE: Final = LabelKey("model.ome.io/type")
MODEL_VENDOR: Final = LabelKey("model.ome.io/vendor")
MODEL_FORMAT: Final = LabelKey("model.ome.io/format")
MODEL_SIZE: Final = LabelKey("model.ome.io/size")

# Standard annotations
LAST_APPLIED_CONFIGURATION: Final = AnnotationKey("ome.io/last-applied-configuration")
RESOURCE_VERSION: Final = AnnotationKey("ome.io/resource-version")

# Deployment Configuration annotations
DEPLOYMENT_MODE: Final = AnnotationKey("ome.io/deploymentMode")
MIN_REPLICAS: Final = AnnotationKey("ome.io/min-replicas")
MAX_REPLICAS: Final = AnnotationKey("ome.io/max-replicas")
TARGET_UTILIZATION: Final = AnnotationKey("ome.io/target-utilization")

# Autoscaling annotations
AUTOSCALING_ENABLE_KEDA: Final = AnnotationKey("autoscaling.ome.io/enable-keda")
AUTOSCALING_METRIC: Final = AnnotationKey("autoscaling.ome.io/metric")
AUTOSCALING_TARGET: Final = AnnotationKey("autoscaling.ome.io/target")
KNATIVE_METRIC: Final = AnnotationKey("autoscaling.knative.dev/metric")
KNATIVE_TARGET: Final = AnnotationKey("autoscaling.knative.dev/target")

# Model Configuration annotations
MODEL_STORAGE_URI: Final = AnnotationKey("model.ome.io/storage-uri")
MODEL_QUANTIZATION: Final = AnnotationKey("model.ome.io/quantization")
MODEL_MAX_TOKENS: Final = AnnotationKey("model.ome.io/max-tokens")
MODEL_CONTEXT_LENGTH: Final = AnnotationKey("model.ome.io/context-length")

# Training Configuration annotations
TRAINING_DISTRIBUTED_BACKEND: Final = AnnotationKey("training.ome.io/distributed-backend")
TRAINING_CHECKPOINT_STRATEGY: Final = AnnotationKey("training.ome.io/checkpoint-strategy")
TRAINING_RESUME_FROM: Final = AnnotationKey("training.ome.io/resume-from")

# Performance annotations
PERFORMANCE_GPU_MEMORY_FRACTION: Final = AnnotationKey("performance.ome.io/gpu-memory-fraction")
PERFORMANCE_BATCH_SIZE: Final = AnnotationKey("performance.ome.io/batch-size")
PERFORMANCE_MAX_BATCH_DELAY: Final = AnnotationKey("performance.ome.io/max-batch-delay")

# Security annotations
SECURITY_POD_SECURITY_POLICY: Final = AnnotationKey("security.ome.io/pod-security-policy")
SECURITY_NETWORK_POLICY: Final = AnnotationKey("security.ome.io/network-policy")
SECURITY_SECRET_REF: Final = AnnotationKey("security.ome.io/secret-ref")

# Storage annotations
STORAGE_CLASS: Final = AnnotationKey("storage.ome.io/class")
STORAGE_SIZE: Final = AnnotationKey("storage.ome.io/size")
STORAGE_ACCESS_MODE: Final = AnnotationKey("storage.ome.io/access-mode")

# Monitoring annotations
MONITORING_SCRAPE: Final = AnnotationKey("monitoring.ome.io/scrape")
MONITORING_PORT: Final = AnnotationKey("monitoring.ome.io/port")
MONITORING_PATH: Final = AnnotationKey("monitoring.ome.io/path")

# OCI Specific annotations
OCI_COMPARTMENT_ID: Final = AnnotationKey("oci.ome.io/compartment-id")
OCI_REGION: Final = AnnotationKey("oci.ome.io/region")
OCI_AVAILABILITY_DOMAIN: Final = AnnotationKey("oci.ome.io/availability-domain")

# Usage Examples annotations
BENCHMARK_TARGET_QPS: Final = AnnotationKey("benchmark.ome.io/target-qps")
BENCHMARK_DURATION: Final = AnnotationKey("benchmark.ome.io/duration")
