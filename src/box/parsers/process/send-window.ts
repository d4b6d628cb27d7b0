/** Number of messages that a sender may send before its receiver requests more. */
export class SendWindow {
  #left = 0
  #onWiden: (() => void) | undefined

  reset(size: number): void {
    this.#left = size
  }

  /** Called when the receiver requests one more. */
  widen(): void {
    this.#left++
    this.#onWiden?.()
  }

  /** Uses up one, after waiting until one is available. */
  async take(): Promise<void> {
    if (this.#left === 0) await new Promise<void>((resolve) => (this.#onWiden = resolve))
    this.#left--
  }
}
