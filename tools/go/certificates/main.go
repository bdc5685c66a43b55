// certificates writes tls.crt and tls.key (a self-signed server certificate for this host's loopback names) and
// service-account.key and service-account.pub into the folder it is given: what a local control plane needs to start,
// and what Python's standard library can't make.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: certificates FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "certificates:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	server, err := newKey()
	if err != nil {
		return err
	}
	certificate, err := selfSigned(server)
	if err != nil {
		return err
	}
	serviceAccount, err := newKey()
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&serviceAccount.PublicKey)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"tls.crt":             {Type: "CERTIFICATE", Bytes: certificate},
		"tls.key":             private(server),
		"service-account.key": private(serviceAccount),
		"service-account.pub": {Type: "PUBLIC KEY", Bytes: public},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func private(key *ecdsa.PrivateKey) *pem.Block {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		panic(err) // only for a curve that newKey does not use
	}
	return &pem.Block{Type: "EC PRIVATE KEY", Bytes: der}
}

// selfSigned is its own authority, so that the certificate file is also what clients are told to trust.
func selfSigned(key *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "local control plane"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(10, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)},
	}
	return x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
}
