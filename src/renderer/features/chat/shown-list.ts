/** The message list, for code that navigates in it. */
export interface ShownList {
  scroller: () => HTMLElement | null
  content: () => HTMLElement | null
  /** Scrolls to the message at this index, which is rendered soon after. */
  goTo: (index: number) => void
  /** Index of the first message that is at least partly visible. */
  firstShown: () => number
  /** Index of the message being read; at the end of the list, the last message. */
  readAt: () => number
}
