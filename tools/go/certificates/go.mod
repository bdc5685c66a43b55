module modelservices.tools/certificates

go 1.24.0
