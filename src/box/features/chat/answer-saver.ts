/** Text younger than this may be lost when the box is killed. */
const saveEveryMs = 500

export interface AnswerSaver {
  /** There is something new: it is saved soon. */
  touch(): void
  /** Settles when no save is running and none will start. */
  stop(): Promise<void>
}

/**
 * Saves an answer while it is written, one save at a time; `onFailure` is told why one failed. None follows it: what is
 * stored has no hole.
 */
export function createAnswerSaver(
  save: () => Promise<void>,
  onFailure: (cause: unknown) => void,
): AnswerSaver {
  let timer: NodeJS.Timeout | undefined
  let saving = Promise.resolve()
  return {
    touch() {
      timer ??= setTimeout(() => {
        timer = undefined
        saving = saving.then(save)
        saving.catch(onFailure)
      }, saveEveryMs)
    },
    stop() {
      clearTimeout(timer)
      return saving.catch(() => undefined)
    },
  }
}
