import { getKey, signIn, tokenIn } from "../../src/box/testing/clients.ts"
import type { Client } from "../../src/shared/client/http-client.ts"

/** Keys of everyone who writes. */
export interface Keys {
  owner: string
  /** Only decides about pending calls, so that no one else deletes the memories they store. */
  member: string
  /** Makes the same writes as the owner. */
  colleague: string
}

export async function addPeople(owner: Client, url: string): Promise<Omit<Keys, "owner">> {
  const add = async (name: string) => {
    const { links } = await owner.people.add({ body: { name, email: `${name}@lab.example` } })
    return getKey(url, await signIn(url, tokenIn(links.local)))
  }
  return { member: await add("Member"), colleague: await add("Colleague") }
}
