import { z } from "zod"
import { User } from "./account.ts"
import { json } from "./endpoint.ts"
import { atMost, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

const Name = atMost(120, z.string().trim().min(1))
const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, wrong("email"))

/** A user with an account on the box. */
export const Person = z
  .object({
    ...User.shape,
    role: z.enum(["owner", "member"]).meta({ description: "`owner`: in at least one workspace" }),
    createdAt: Timestamp,
    disabledAt: Timestamp.nullable().meta({
      description:
        "Since when the person can't sign in; what they own is kept, and what they shared stays shared.",
    }),
  })
  .meta({ id: "Person" })
export type Person = z.infer<typeof Person>

/** Sign-in links for one user. Each link opens the page signed in, and opening one invalidates all of them. */
export const SignInLinks = z
  .object({
    local: z.string().meta({ description: "For a browser on the computer that the box runs on" }),
    network: z
      .array(z.string())
      .meta({ description: "One for each allowed host name; empty while the box listens on loopback only" }),
    expiresAt: Timestamp,
  })
  .meta({ id: "SignInLinks" })
export type SignInLinks = z.infer<typeof SignInLinks>

export const PersonDraft = z.object({ name: Name, email: Email, role: Person.shape.role.default("member") })
export type PersonDraft = z.infer<typeof PersonDraft>

export const PersonChange = z.object({
  name: Name.optional(),
  email: Email.optional(),
  role: Person.shape.role.optional(),
  disabled: z
    .boolean()
    .optional()
    .meta({ description: "true ends the person's keys, sessions and connections at once, for good" }),
})
export type PersonChange = z.infer<typeof PersonChange>

const base = "/api/public/people" as const

export const people = {
  list: json({
    method: "get",
    path: base,
    summary: "Everyone who has an account on the box",
    access: "full",
    output: z.object({ people: z.array(Person) }),
  }),
  add: json({
    method: "post",
    path: base,
    summary: "Add a person to the workspace; owners only",
    access: "owner",
    body: PersonDraft,
    status: 201,
    output: z.object({ person: Person, links: SignInLinks }),
  }),
  update: json({
    method: "patch",
    path: `${base}/:id`,
    summary: "Change a person: name and e-mail address oneself or an owner, role and `disabled` owners only",
    access: "full",
    body: PersonChange,
    output: z.object({ person: Person }),
  }),
  signInLinks: json({
    method: "post",
    path: `${base}/:id/sign-in-links`,
    summary: "Fresh one-time links that sign a person in, for 5 minutes; owners only",
    access: "owner",
    status: 201,
    output: z.object({ links: SignInLinks }),
  }),
} as const
