import { useMutation, useQuery } from "@tanstack/react-query"
import type { PersonChange, PersonDraft } from "../../../../shared/contract/accounts.ts"
import { queryClient, sessionKey } from "../../../data/query-client.ts"
import { box } from "../../../lib/box.ts"

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
