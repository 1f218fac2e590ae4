package simcloud

import (
	"net/http"
	"slices"
)

// knownRoles returns the names of the roles an account offers.
func knownRoles() []string {
	return []string{roleSuper, roleAdmin, "Administrator Read Only", "Analytics", "DNS", "Firewall"}
}

func listRoles(c *call) answer {
	var out []obj
	for _, name := range knownRoles() {
		out = append(out, c.acct.roles(name)...)
	}
	return listOf(c, out)
}

func noMember() answer { return refuse(http.StatusNotFound, 1003, "Member not found for account") }

func readMember(c *call) answer {
	if i := byKey(c.acct.members, "id", c.id("member_id")); i >= 0 {
		return ok(c.acct.members[i])
	}
	return noMember()
}

// isSuper reports whether a member is an accepted super administrator.
func isSuper(m obj) bool {
	return m["status"] == "accepted" && slices.ContainsFunc(objects(m["roles"]), func(r obj) bool { return r["name"] == roleSuper })
}

// deleteMember removes a member from the account; the provider still knows the person, so a new
// invitation of the address finds them.
func deleteMember(c *call) answer {
	a := c.acct
	i := byKey(a.members, "id", c.id("member_id"))
	if i < 0 {
		return noMember()
	}
	supers := slices.DeleteFunc(slices.Clone(a.members), func(m obj) bool { return !isSuper(m) })
	if isSuper(a.members[i]) && len(supers) == 1 {
		return invalid("The last super administrator of an account cannot be removed")
	}
	if a.people == nil {
		a.people = map[string]obj{}
	}
	person, _ := a.members[i]["user"].(obj)
	a.people[asText(a.members[i]["email"])] = person
	a.members = slices.Delete(a.members, i, i+1)
	return ok(obj{"id": c.id("member_id")})
}

// inviteMember adds a member who has yet to accept, see
// https://developers.cloudflare.com/api/resources/accounts/subresources/members/methods/create/.
func inviteMember(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	a, email := c.acct, asText(sent["email"])
	wanted, _ := sent["roles"].([]any)
	if email == "" || len(wanted) == 0 {
		return invalid("email and roles are required")
	}
	if byKey(a.members, "email", email) >= 0 {
		return refuse(http.StatusBadRequest, 1004, "The user is a member of the account already")
	}
	roles := []obj{}
	for _, id := range wanted {
		at := slices.IndexFunc(knownRoles(), func(name string) bool { return a.roles(name)[0]["id"] == id })
		if at < 0 {
			return refuse(http.StatusBadRequest, 1004, "A role was sent that the account does not have")
		}
		roles = append(roles, a.roles(knownRoles()[at])...)
	}
	person := a.people[email]
	if person == nil {
		person = obj{"id": nil, "email": email, "first_name": nil, "last_name": nil, "two_factor_authentication_enabled": false}
	}
	m := obj{"id": c.newWriteStream().hex32(), "email": email, "status": statusPending, "user": person, "roles": roles, "policies": []obj{}}
	a.members = append(a.members, m)
	return ok(m)
}
