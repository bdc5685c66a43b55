"""The Pulumi policy pack: what a platform team asks of every stack, beyond what the manifests' own checks say."""
