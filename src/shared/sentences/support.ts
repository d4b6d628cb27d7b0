/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const support = {
  answered_status: "The support service answered with status {{status}}.",
  being_sent: "This report is being sent at this moment. Try again.",
  check_address: "{{what}} Check the address the box was given with --auth-url.",
  connection_broke: "The connection to the support service broke before it answered.",
  key_limited: "This key may not create tickets. Use one with the permission tickets.create.",
  key_not_accepted: "The service doesn't accept the key any more. Sign in again.",
  key_of_box: "This is a key of this box. Paste a cloud key instead.",
  key_refused: "The service doesn't accept this key: it is wrong, expired or disabled.",
  key_without_tickets: "The key may not create tickets. Sign in again, or use one with tickets.create.",
  no_service: "This box was started without --auth-url: there is nothing to sign in to.",
  none_such: "There is no such report.",
  report_too_large: "The report is too large. Leave out the attachment or the screenshot.",
  sent_already: "This report was sent, or may have been, so it can't be changed any more.",
  too_many_wait: "{{count}} reports wait already: send or remove some first.",
  try_later: "{{what}} Try again later.",
  unknown_answer: "The support service answered something that Casella doesn't know.",
} as const
