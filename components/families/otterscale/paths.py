"""Places in a serving pod, and the volumes behind them."""

MODEL_PATH = "/models"
"""Where the model is unless the ModelService says otherwise."""

MODEL_VOLUME = "model"
SCRATCH_VOLUME = "model-tmp"
SCRATCH_PATH = "/tmp/model-oci"
CREDENTIALS_VOLUME = "docker-config"
CREDENTIALS_PATH = "/.docker"
SHM_VOLUME = "shm"
SHM_PATH = "/dev/shm"
