package kubernetes

// What to change where an API server refuses, and when to ask it again.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// changes are what to change about refusals, by a part of the API server's words.
var changes = []struct{ says, change string }{
	{"because it is being terminated", "wait until the namespace is gone and make it again, or name another one (--namespace)"},
	{"exceeded quota", "have the quota raised, or name another namespace"},
	{"failed quota", "have a LimitRange of the namespace give defaults, or name another namespace"},
}

// advised adds to the refusal of a new object what to change, where that is known.
func (c *Client) advised(err error) error {
	if IsNotFound(err) { // what is not there is the namespace
		return fmt.Errorf("%w; make it ('kubectl create namespace %s'), or name another one (--namespace)", err, c.Namespace)
	}
	var refused *StatusError
	if !errors.As(err, &refused) {
		return err
	}
	for _, one := range changes {
		if strings.Contains(refused.Message, one.says) {
			return fmt.Errorf("%w; %s", err, one.change)
		}
	}
	return err
}

// IsThere reports whether the API server refuses an object since there is one of its name.
func IsThere(err error) bool {
	var refused *StatusError
	return errors.As(err, &refused) && refused.Reason == "AlreadyExists"
}

// later are the answers of an API server, or of a proxy before it, that is to be asked again.
var later = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// IsAway reports whether an API server was not reached, or cannot answer now.
func IsAway(err error) bool {
	var refused *StatusError
	if errors.As(err, &refused) {
		return slices.Contains(later, refused.Code)
	}
	return err != nil && !errors.Is(err, context.Canceled)
}
