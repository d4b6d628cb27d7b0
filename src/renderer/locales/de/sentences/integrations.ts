import type { integrations as english } from "../../../../shared/sentences/integrations.ts"
import { translation } from "../../translation.ts"

export const integrations = translation<typeof english>()({
  answered_twice: "Diese Anmeldung wurde zweimal beantwortet. Beginnen Sie sie erneut.",
  arguments_not_object: "ihre Argumente sind kein Objekt",
  consent_first:
    "Damit wird ein Programm auf diesem Computer gestartet: Stimmen Sie zuerst genau seinem Befehl zu.",
  function_off: "Dieses Tool ist ausgeschaltet.",
  functions_changed:
    "Die Beschreibung der Tools von {{name}} hat sich seit der Zustimmung geändert, deshalb sind alle ausgeschaltet. Sie lässt sich unter Einstellungen › MCP-Server prüfen.",
  invisible_name: "ihr Name enthält unsichtbare Zeichen",
  name_taken: "Es gibt schon einen Server mit diesem Namen: {{key}}.",
  no_address: "Es ist noch keine Adresse angegeben: Legen Sie zuerst eine fest.",
  no_function: "Dieses Tool wird nicht verwendet.",
  no_sign_in: "Der Server verlangt eine Anmeldung, gibt aber nicht an, wo.",
  none_such: "Diese Integration gibt es nicht, oder sie gehört Ihnen nicht.",
  not_described: "sie ist nicht so beschrieben, wie das Protokoll es verlangt",
  not_elsewhere: "Das ist kein Server an einer Adresse mehr.",
  not_let_in: "Der Anbieter hat Casella nicht zugelassen.",
  not_linked: "Es besteht keine Verbindung: Stellen Sie sie zuerst her.",
  not_linked_any_more: "Die Verbindung besteht nicht mehr.",
  only_the_first: "nur die ersten {{count, number}} werden übernommen",
  other_began:
    "Jemand anderes oder eine andere Sitzung hat diese Anmeldung begonnen. Es wurde nichts verbunden. Beginnen Sie sie erneut dort, wo Sie angemeldet sind.",
  other_than_offered:
    "Das, dem Sie zustimmen, ist nicht das, was der Server jetzt anbietet. Sehen Sie es noch einmal an.",
  owners_only: "Nur Inhaber dürfen {{what}}.",
  reach_network: "Server im eigenen Netzwerk erreichen",
  run_programs: "Programme auf diesem Computer ausführen",
  schema_fault: "ihr Schema: {{fault}}",
  schema_too_long: "ihr Schema ist länger als {{count, number}} Zeichen",
  sign_in_again: "Dort ist unter Einstellungen › MCP-Server eine erneute Anmeldung nötig.",
  sign_in_expired: "Diese Anmeldung ist abgelaufen. Beginnen Sie sie in Casella erneut.",
  token_refused: "Der Server nimmt dieses Zugriffstoken nicht an.",
  too_many: "Es gibt schon {{count, number}} Server: Entfernen Sie zuerst einige.",
  two_of_name: "es gibt zwei mit diesem Namen",
  unsafe_sign_in: "Der Server schickt zur Anmeldung an eine Adresse, die nicht sicher geöffnet werden kann.",
  wrong_issuer: "Die Antwort kam nicht von dort, wohin Sie zur Anmeldung geschickt wurden.",
})
