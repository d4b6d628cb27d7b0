/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const integrations = {
  answered_twice: "This sign-in was answered twice. Start it again.",
  consent_first: "This starts a program on this computer: consent to exactly its command first.",
  function_off: "The user has switched this function off.",
  functions_changed:
    "What {{name}} says of its functions has changed since it was approved, so all of them are off. The user can look at it under Settings, Integrations.",
  name_taken: "There is a server named like that already: {{key}}.",
  no_address: "It has no address yet: set one first.",
  no_function: "There is no such function in use.",
  no_sign_in: "The server wants a sign-in, but doesn't say where.",
  none_such: "There is no such integration, or it isn't yours.",
  not_elsewhere: "It is no server elsewhere any more.",
  not_let_in: "The provider didn't let Casella in.",
  not_linked: "It isn't linked: link it first.",
  not_linked_any_more: "It isn't linked any more.",
  other_began:
    "Somebody else, or another session, began this sign-in. Nothing was linked. Start it again where you are signed in.",
  other_than_offered: "What you approve isn't what the server offers now. Look at it again.",
  owners_only: "Only owners of the box may {{what}}.",
  reach_network: "reach servers on its network",
  run_programs: "run programs on this computer",
  sign_in_again: "It must be signed in to again under Settings, Integrations.",
  sign_in_expired: "This sign-in has expired. Start it again in Casella.",
  token_refused: "The server doesn't take this token.",
  too_many: "There are {{count}} servers already: remove some first.",
  unsafe_sign_in: "The server sends its users to an address that isn't safe to open.",
  wrong_issuer: "The answer didn't come from where you were sent to sign in.",
} as const
