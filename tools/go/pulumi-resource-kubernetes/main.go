// The Kubernetes resource provider. Upstream's own main embeds files that its release process generates and that are
// not part of the published module; this one takes the two files they are generated from, which are. The build puts
// them beside this file (they are large, and a copy in git would only be a second source of truth).
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var terraformMapping []byte

func main() {
	provider.Serve("kubernetes", version.Version, schema, terraformMapping)
}
