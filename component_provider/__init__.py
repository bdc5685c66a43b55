"""The plugin ``modelservices``: the components for programs in TypeScript, Go, C#, Java and YAML."""
