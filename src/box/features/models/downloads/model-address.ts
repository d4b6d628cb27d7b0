import type { ModelSource } from "../../../../shared/contract/model-files.ts"
import type { Response } from "undici"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"

const maxRedirects = 5

/** URL of a file on Hugging Face or a compatible mirror. */
export function resolveAddress(mirror: string, { repo, revision, file }: ModelSource): string {
  return `${mirror.replace(/\/+$/, "")}/${repo}/resolve/${revision}/${file}`
}

/** Properties of a large file that the first server reports before it redirects. */
export interface LinkedFile {
  /** File size in bytes. */
  sizeBytes: number | null
  /** SHA-256 in hexadecimal. */
  sha256: string | null
}

/**
 * Requests a file and follows redirects itself, because Hugging Face describes the file in the first response and another server sends the
 * content. Sends nothing that identifies the caller.
 */
export async function request(
  outbound: Pick<Outbound, "fetch">,
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ response: Response; linked: LinkedFile }> {
  let linked: LinkedFile = { sizeBytes: null, sha256: null }
  let url = new URL(address)
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await outbound.fetch(url, {
      purpose: "model-download",
      credentials: "omit",
      headers: { ...headers, "accept-encoding": "identity", "user-agent": "Casella" },
      signal,
    })
    linked = {
      sizeBytes: linked.sizeBytes ?? linkedSize(response),
      sha256: linked.sha256 ?? linkedSha256(response),
    }
    const location = response.headers.get("location")
    if (response.status < 300 || response.status >= 400 || location === null) return { response, linked }
    await response.body?.cancel()
    url = follow(url, location)
  }
  throw new AppError("unavailable", sentence("models.download_in_circles"))
}

function follow(from: URL, location: string): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from.href) : null
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && from.protocol === "http:")
  if (url && isSafe && url.username === "") return url
  throw new AppError("unavailable", sentence("models.download_unsafe"))
}

function linkedSize({ headers }: Response): number | null {
  const size = headers.get("x-linked-size") ?? ""
  return /^\d{1,15}$/.test(size) ? Number(size) : null
}

/** For large files, the ETag is the checksum. Small files have a different, shorter ETag. */
function linkedSha256({ headers }: Response): string | null {
  const etag = headers.get("x-linked-etag") ?? ""
  return /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(etag)?.[1] ?? null
}
