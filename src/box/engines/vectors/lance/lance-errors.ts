/** Whether an error is unrelated to the files: an invalid argument, a timeout or a limit on open files. */
export function isHarmless(error: unknown): boolean {
  return error instanceof Error && /invalid input|timed? ?out|too many open files/i.test(error.message)
}

/** Whether an error reports damaged tables on an object store. */
export function isDamageError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfStore = /generic s3 error|error sending request|non-2xx|privileges/i.test(error.message)
  return !isOfStore && /not found|invalid magic|too small|invalid range|corrupt/i.test(error.message)
}

/** Closes a table or a connection. LanceDB refuses to close it while an operation uses it, and frees it when that operation ends. */
export function closeUnused(handle: { close(): void }): void {
  try {
    handle.close()
  } catch (error) {
    if (!String(error).includes("while another borrow is active")) throw error
  }
}
