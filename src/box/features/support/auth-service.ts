import type { CreatedCloudKey } from "../../../shared/contract/cloud-account.ts"
import type { AppError } from "../../../shared/contract/errors.ts"
import type { ServiceIssue } from "../../../shared/contract/service-errors.ts"
import type { OwnTicket, TicketReceipt } from "../../../shared/contract/tickets.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"

/**
 * A request to the auth service that didn't succeed. `unreached`: it never arrived. `lost`: it may have been carried
 * out, but no answer says so. `refused`: the service answered that it did not do it.
 */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure"
  readonly sentence: Sentence
  readonly outcome: "unreached" | "lost" | "refused"
  /** HTTP status of a refusal, 0 otherwise. */
  readonly status: number
  /** Code in the body of a refusal; null when something in between answered. */
  readonly code: string | null
  readonly issues: ServiceIssue[]
  /** What the service asked to wait for, if it did. */
  readonly retryAfterMs: number | null

  constructor(
    outcome: ServiceFailure["outcome"],
    sentence: Sentence,
    details: {
      cause?: unknown
      status?: number
      code?: string
      issues?: ServiceIssue[]
      retryAfterMs?: number | null
    } = {},
  ) {
    super(sentence.text, { cause: details.cause })
    this.sentence = sentence
    this.outcome = outcome
    this.status = details.status ?? 0
    this.code = details.code ?? null
    this.issues = details.issues ?? []
    this.retryAfterMs = details.retryAfterMs ?? null
  }
}

/** The auth service, as the box uses it. Everything throws `ServiceFailure`, or the signal's reason. */
export interface AuthService {
  url: string
  /** Why local-only keeps the box from asking it; null when it may. */
  refusal(): AppError | null
  /** Signs in and makes a key that can create tickets and nothing else. */
  createKey(email: string, password: string): Promise<{ key: CreatedCloudKey; email: string; name: string }>
  endKey(key: string): Promise<void>
  createTicket(key: string, body: object): Promise<TicketReceipt>
  /** The newest 200 of the key's owner, or those with this external id. */
  ownTickets(key: string, externalId?: string): Promise<OwnTicket[]>
}
