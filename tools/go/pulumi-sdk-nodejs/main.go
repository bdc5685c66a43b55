// Generates the Node.js SDK of a Pulumi package from its schema, as `pulumi package gen-sdk --language nodejs` does: an
// installed CLI asks its language host for that, and the last host that can be built from a Go module is too old for it.
//
//	pulumi-sdk-nodejs FOLDER < schema.json
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// noPackages would load the packages that a schema refers to; ours refers to none.
type noPackages struct{ schema.ReferenceLoader }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pulumi-sdk-nodejs FOLDER < schema.json")
		os.Exit(2)
	}
	if err := generate(os.Stdin, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(input io.Reader, folder string) error {
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
	files, err := nodejs.GeneratePackage("modelservices", bound, nil, nil, true, noPackages{})
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
