"""A TrainingJob of OME: a JobSet, an Indexed Job or a Kubeflow TrainJob."""
