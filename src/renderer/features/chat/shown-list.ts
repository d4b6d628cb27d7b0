/** The list to what goes about in it. */
export interface ShownList {
  scroller: () => HTMLElement | null
  content: () => HTMLElement | null
  /** Shows the message at this place, which is drawn soon. */
  goTo: (index: number) => void
  /** The first message of which something is seen. */
  firstShown: () => number
  /** The message that is being read: at the end of the list the last one. */
  readAt: () => number
}
