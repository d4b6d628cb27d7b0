import { ServiceError } from "../../../shared/contract/service-errors.ts"
import { isRefusal, type Library } from "./library.ts"
import type { Member, Members } from "./members.ts"

export interface UserDraft {
  email: string
  password: string
  name: string
  staff: boolean
  company: string | null
}

/** Adds an account. Throws `CONFLICT`, or `VALIDATION_ERROR` with what to change, such as a short password. */
export async function addUser(library: Library, members: Members, draft: UserDraft): Promise<Member> {
  const { email, password, name, staff, company } = draft
  // Better Auth doesn't report that an address is in use, so that sign-up can't be used to find accounts.
  if (await members.has(email)) throw new ServiceError("CONFLICT", `The user ${email} exists already.`)
  await library.api.signUpEmail({ body: { email, password, name } }).catch((cause: unknown) => {
    if (!isRefusal(cause)) throw cause
    throw new ServiceError("VALIDATION_ERROR", (cause as Error).message, { cause })
  })
  return members.change(email, { staff: staff ? 1 : 0, company })
}
