// The works of the last tier, each the same amount in every language.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"strconv"
)

const (
	digits = 20 // of pi
	guard  = 10 // digits beyond them, for what is rounded away
	size   = 40 // of a matrix
)

var large = bytes.Repeat([]byte("x"), 4_000_000)

var works = map[string]func(*http.Request) ([]byte, error){
	"small":     func(*http.Request) ([]byte, error) { return []byte("x"), nil },
	"large":     func(*http.Request) ([]byte, error) { return large, nil },
	"factorial": func(*http.Request) ([]byte, error) { return factorial(), nil },
	"pi":        func(*http.Request) ([]byte, error) { return pi(), nil },
	"matrix":    func(*http.Request) ([]byte, error) { return matrix(), nil },
	"fails":     fails,
}

// factorial is 100!.
func factorial() []byte {
	product := big.NewInt(1)
	for n := int64(2); n <= 100; n++ {
		product.Mul(product, big.NewInt(n))
	}
	return []byte(product.String())
}

// pi is by Machin's formula.
func pi() []byte {
	one := power(digits - 1 + guard)
	a := arctan(5, one)
	a.Mul(a, big.NewInt(4)).Sub(a, arctan(239, one)).Mul(a, big.NewInt(4))
	return []byte(a.Quo(a, power(guard)).String())
}

func power(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }

// arctan is one times the arctangent of 1/x.
func arctan(x int64, one *big.Int) *big.Int {
	term := new(big.Int).Quo(one, big.NewInt(x))
	total := new(big.Int).Set(term)
	square := big.NewInt(x * x)
	for n := int64(3); term.Sign() > 0; n += 2 {
		term.Quo(term, square)
		part := new(big.Int).Quo(term, big.NewInt(n))
		if n%4 == 3 {
			total.Sub(total, part)
		} else {
			total.Add(total, part)
		}
	}
	return total
}

// matrix is the sum over the product of a matrix with itself.
func matrix() []byte {
	var a [size][size]int64
	for i := range size {
		for j := range size {
			a[i][j] = int64(size*i + j)
		}
	}
	var total int64
	for i := range size {
		for j := range size {
			for k := range size {
				total += a[i][k] * a[k][j]
			}
		}
	}
	return strconv.AppendInt(nil, total, 10)
}

// fails computes, or does not with probability p.
func fails(r *http.Request) ([]byte, error) {
	p := 0.0
	if text := r.FormValue("p"); text != "" {
		var err error
		if p, err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("reading p: %w", err)
		}
	}
	if rand.Float64() < p {
		return nil, errors.New("as was asked for")
	}
	return factorial(), nil
}
