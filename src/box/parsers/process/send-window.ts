/** How much a sender may still send before its receiver asks for more. */
export class SendWindow {
  #left = 0
  #onWiden: (() => void) | undefined

  reset(size: number): void {
    this.#left = size
  }

  /** The receiver asks for one more. */
  widen(): void {
    this.#left++
    this.#onWiden?.()
  }

  /** Uses up one, once there is one. */
  async take(): Promise<void> {
    if (this.#left === 0) await new Promise<void>((resolve) => (this.#onWiden = resolve))
    this.#left--
  }
}
