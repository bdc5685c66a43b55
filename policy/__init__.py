"""The Pulumi policy pack: what a platform team asks of every stack, beyond the checks of the manifests."""
