package executor

import (
	"fmt"

	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// checkRequires looks for the first requirement, in the file's order, that is
// absent, null or "".
func checkRequires(requirements []tool.Requirement, v *values) *failure {
	for i := range requirements {
		if ref := &requirements[i].Ref; placeholder.Missing(v.Lookup(ref)) {
			return missing(ref)
		}
	}
	return nil
}

func missing(ref *placeholder.Ref) *failure {
	path := ref.String()
	switch path {
	case "contact.phone_number":
		return &failure{keyContactPhone, "the contact's phone number is not known (" + path + ")"}
	case "contact.email":
		return &failure{keyContactEmail, "the contact's email address is not known (" + path + ")"}
	case "contact.name":
		return &failure{keyContactName, "the contact's name is not known (" + path + ")"}
	}
	return &failure{keyRequirement, fmt.Sprintf("the call needs %s, which has no value", path)}
}

// missingIn says which placeholder left part of a request without a value.
func missingIn(part string, t tool.Text, v *values) *failure {
	path := "a value"
	if ref := t.MissingRef(v); ref != nil {
		path = ref.String()
	}
	return &failure{keyRequirement, fmt.Sprintf("the call needs %s for its %s, which has no value", path, part)}
}
