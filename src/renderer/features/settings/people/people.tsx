import { useMutation, useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import type { PersonChange, PersonDraft } from "../../../../shared/contract/accounts.ts"
import { queryClient, sessionKey } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"
import { TextField } from "../../../ui/controls/Field.tsx"

const peopleKey = ["people"] as const

/** All users with an account on the box. */
export function usePeople() {
  return useQuery({
    queryKey: peopleKey,
    queryFn: async ({ signal }) => (await box.people.list({}, { signal })).people,
    staleTime: 0,
  })
}

export function useAddPerson() {
  return useMutation({
    mutationFn: (body: PersonDraft) => box.people.add({ body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: peopleKey }),
  })
}

export function useChangePerson() {
  return useMutation({
    mutationFn: ({ id, ...body }: PersonChange & { id: string }) =>
      box.people.update({ params: { id }, body }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: peopleKey }),
        queryClient.invalidateQueries({ queryKey: sessionKey }),
      ]),
  })
}

export function useSignInLinks() {
  return useMutation({
    mutationFn: async (id: string) => (await box.people.signInLinks({ params: { id } })).links,
  })
}

interface Person {
  name: string
  email: string
}

interface PersonFieldsProps {
  person: Person
  /** Why the box refused a value, by field name. */
  issues: Record<string, string | undefined>
  emailHint?: string
  onChange: (part: Partial<Person>) => void
}

/** A user's name and email address. */
export function PersonFields({ person, issues, emailHint, onChange }: PersonFieldsProps) {
  return (
    <>
      <TextField
        label={t("settings:name")}
        value={person.name}
        maxLength={120}
        onChange={(event) => onChange({ name: event.target.value })}
        error={issues["name"]}
      />
      <TextField
        label={t("settings:email")}
        hint={emailHint}
        type="email"
        value={person.email}
        maxLength={254}
        onChange={(event) => onChange({ email: event.target.value })}
        error={issues["email"]}
      />
    </>
  )
}
