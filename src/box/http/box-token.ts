import { createHmac, timingSafeEqual } from "node:crypto"

/** What proves to another box that this one has the same key for secrets; another one for each purpose. */
export const boxToken = (secretsKey: Buffer, purpose: "forwarding" | "worker"): string =>
  createHmac("sha256", secretsKey).update(`casella ${purpose}`).digest("base64url")

/** Whether a header of another box's is the token, in a time that tells nothing of it. */
export function isToken(given: string | readonly string[] | undefined, token: string): boolean {
  if (typeof given !== "string") return false
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  return one.length === other.length && timingSafeEqual(one, other)
}
