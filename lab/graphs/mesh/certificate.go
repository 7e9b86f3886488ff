package mesh

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// TLS are the files of a proxy's certificate, as a control plane would hand them out: both ends of a connection show one.
type TLS struct {
	Authority   string // PEM: the certificate of whoever signs those of all proxies
	Certificate string // PEM
	Key         string // PEM
}

// lifetime is longer than a run, and short enough for a key that is left behind to be of no use.
const lifetime = 24 * time.Hour

// identity is the name of a process in a certificate.
func identity(name string) string { return "spiffe://tracetax/" + name }

func (t TLS) common(name string) object {
	check := object{"trusted_ca": object{"filename": t.Authority}}
	if name != "" {
		check["match_typed_subject_alt_names"] = []any{object{"san_type": "URI", "matcher": object{"exact": identity(name)}}}
	}
	return object{
		"tls_certificates":   []any{object{"certificate_chain": object{"filename": t.Certificate}, "private_key": object{"filename": t.Key}}},
		"validation_context": check,
	}
}

func (t TLS) server() object {
	return typed("envoy.transport_sockets.tls", "extensions.transport_sockets.tls.v3.DownstreamTlsContext", object{
		"common_tls_context": t.common(""), "require_client_certificate": true,
	})
}

func (t TLS) client(of string) object {
	return typed("envoy.transport_sockets.tls", "extensions.transport_sockets.tls.v3.UpstreamTlsContext", object{"common_tls_context": t.common(of)})
}

// NewTLS makes the certificate of a process in a folder of its own. Who signs it lies in a folder that all share: the first
// proxy makes it.
func NewTLS(shared, own, name string) (*TLS, error) {
	authority := filepath.Join(shared, "mesh-authority.pem")
	signer, key, err := authorityIn(authority)
	if err != nil {
		return nil, err
	}
	id, err := url.Parse(identity(name))
	if err != nil {
		return nil, fmt.Errorf("making the certificate of %s: %w", name, err)
	}
	of := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: name}, URIs: []*url.URL{id},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, private, err := signed(of, signer, key)
	if err != nil {
		return nil, fmt.Errorf("making the certificate of %s: %w", name, err)
	}
	t := &TLS{Authority: authority, Certificate: filepath.Join(own, "certificate.pem"), Key: filepath.Join(own, "key.pem")}
	err = errors.Join(os.WriteFile(t.Certificate, certificate, 0o600), os.WriteFile(t.Key, private, 0o600))
	if err != nil {
		return nil, fmt.Errorf("writing the certificate of %s: %w", name, err)
	}
	return t, nil
}

// authorityIn reads who signs, certificate and key in one file, and makes it where it is not there yet. Several may do so at
// once: the file comes to be whole, and only once.
func authorityIn(file string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := makeAuthority(file); err != nil {
			return nil, nil, fmt.Errorf("making the authority of the mesh: %w", err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the authority of the mesh: %w", err)
	}
	first, rest := pem.Decode(text)
	second, _ := pem.Decode(rest)
	if first == nil || second == nil {
		return nil, nil, fmt.Errorf("reading the authority of the mesh: %s has not got a certificate and a key", file)
	}
	certificate, err := x509.ParseCertificate(first.Bytes)
	key, also := x509.ParseECPrivateKey(second.Bytes)
	if err = errors.Join(err, also); err != nil {
		return nil, nil, fmt.Errorf("reading the authority of the mesh: %w", err)
	}
	return certificate, key, nil
}

func makeAuthority(file string) error {
	of := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "mesh"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	certificate, key, err := signed(of, nil, nil)
	if err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), "authority-")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.Write(append(certificate, key...))
	if err = errors.Join(err, part.Close()); err != nil {
		return err
	}
	if err := os.Link(part.Name(), file); !errors.Is(err, fs.ErrExist) { // another proxy was first: its file counts
		return err
	}
	return nil
}

// signed makes a key and its certificate, both in PEM; without a signer it signs itself.
func signed(of, by *x509.Certificate, with *ecdsa.PrivateKey) (certificate, key []byte, err error) {
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if by == nil {
		by, with = of, own
	}
	raw, err := x509.CreateCertificate(rand.Reader, of, by, &own.PublicKey, with)
	if err != nil {
		return nil, nil, err
	}
	private, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), nil
}

func serial() *big.Int { return big.NewInt(time.Now().UnixNano()) }
