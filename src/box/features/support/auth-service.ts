import type { CreatedCloudKey } from "../../../shared/contract/cloud-account.ts"
import type { AppError } from "../../../shared/contract/errors.ts"
import type { ServiceIssue } from "../../../shared/contract/service-errors.ts"
import type { OwnTicket, TicketReceipt } from "../../../shared/contract/tickets.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"

/**
 * A failed request to the auth service. `unreached`: it never arrived. `lost`: it may have been processed, but there is no answer that
 * confirms it. `refused`: the service answered that it didn't process it.
 */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure"
  readonly sentence: Sentence
  readonly outcome: "unreached" | "lost" | "refused"
  /** HTTP status of a refusal; otherwise 0. */
  readonly status: number
  /** Code in the body of a refusal; null if an intermediary responded. */
  readonly code: string | null
  readonly issues: ServiceIssue[]
  /** The wait that the service asked for, if any. */
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

/** Client for the auth service. All methods throw `ServiceFailure`, or the signal's reason. */
export interface AuthService {
  url: string
  /** The local-only error that prevents requests; null if they are allowed. */
  refusal(): AppError | null
  /** Signs in and creates a key that can only create tickets. */
  createKey(email: string, password: string): Promise<{ key: CreatedCloudKey; email: string; name: string }>
  endKey(key: string): Promise<void>
  createTicket(key: string, body: object): Promise<TicketReceipt>
  /** The newest 200 tickets of the key's owner, or those with this external ID. */
  listOwnTickets(key: string, externalId?: string): Promise<OwnTicket[]>
}
