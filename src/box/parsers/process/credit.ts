/** What a sender may still send before its receiver asks for more. */
export class Credit {
  #left = 0
  #onGrant: (() => void) | undefined

  reset(amount: number): void {
    this.#left = amount
  }

  grant(): void {
    this.#left++
    this.#onGrant?.()
  }

  /** Uses up one, once there is one. */
  async take(): Promise<void> {
    if (this.#left === 0) await new Promise<void>((resolve) => (this.#onGrant = resolve))
    this.#left--
  }
}
