// Generates the Node.js or Go SDK of a Pulumi package from its schema, as `pulumi package gen-sdk` does: an installed
// CLI asks its language hosts for that, and the last hosts that can be built from a Go module are too old for it.
//
//	pulumi-sdk nodejs|go FOLDER < schema.json
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	gen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// noPackages would load the packages that a schema refers to; ours refers to none.
type noPackages struct{ schema.ReferenceLoader }

var languages = map[string]func(*schema.Package) (map[string][]byte, error){
	"nodejs": func(bound *schema.Package) (map[string][]byte, error) {
		return nodejs.GeneratePackage("modelservices", bound, nil, nil, true, noPackages{})
	},
	"go": func(bound *schema.Package) (map[string][]byte, error) {
		if err := bound.ImportLanguages(map[string]schema.Language{"go": gen.Importer}); err != nil {
			return nil, err
		}
		return gen.GeneratePackage("modelservices", bound, nil)
	},
}

func main() {
	if len(os.Args) != 3 || languages[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: pulumi-sdk nodejs|go FOLDER < schema.json")
		os.Exit(2)
	}
	if err := generate(os.Stdin, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(input io.Reader, language, folder string) error {
	var spec schema.PackageSpec
	if err := json.NewDecoder(input).Decode(&spec); err != nil {
		return err
	}
	bound, diagnostics, err := schema.BindSpec(spec, noPackages{}, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if diagnostics.HasErrors() {
		return diagnostics
	}
	files, err := languages[language](bound)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
