import type { automations as english } from "../../../../shared/sentences/automations.ts"
import { translation } from "../../translation.ts"

export const automations = translation<typeof english>()({
  answer_failed: "La risposta non è riuscita. La sua conversazione dice perché.",
  circle:
    "È stato il suo stesso lavoro ad avviarla, per la terza volta di fila, quindi è stata fermata. Falla scrivere in un’altra cartella, o aspettare altri file.",
  cut_too_often: "Il box si è chiuso {{count}} volte mentre era al lavoro.",
  enough_today: "Oggi è partita {{count}} volte, che è il suo limite.",
  file_gone: "Il file non c’è più, o non si può più leggere.",
  folders_not_yours: "Alcune cartelle non esistono o non si possono cercare.",
  held: "Questa automazione viene da un backup ripristinato. Finché un proprietario non decide in Impostazioni › Backup, puoi eliminarla ma non modificarla.",
  hook_of_key:
    "La chiave API che ha creato questo indirizzo non ha i diritti per ciò che l’automazione fa ora. Il proprietario dell’automazione può creare un nuovo indirizzo.",
  input_too_long: "Un hook accetta al massimo 64 KB.",
  maker_revoked:
    "La chiave API che ha creato questa automazione è stata revocata. Salvala di nuovo per eseguirla come te.",
  matches_everything: "corrisponde a ogni file: lascialo vuoto per intendere questo",
  never: "non arriva mai: non esiste un giorno così",
  no_assistant: "non è un assistente a cui puoi chiedere",
  no_cron:
    "non è un orario: indica minuto, ora, giorno del mese, mese e giorno della settimana, come 0 9 * * 1",
  no_hook: "Questo hook non esiste.",
  no_pattern: "non è un modello: chiudi le graffe e indica poche alternative",
  no_run: "Questa esecuzione non esiste.",
  no_time_zone: "non è un fuso orario: indica un nome come Europe/Rome",
  none_such: "Questa automazione non esiste.",
  queue_full: "{{count}} sue esecuzioni sono già in attesa.",
  ran_already: "È già partita per questo.",
  restored: "Nel frattempo è stato ripristinato un backup.",
  starter_revoked: "La chiave API che ha avviato questa esecuzione è stata revocata.",
  switched_off: "L’automazione è spenta.",
  too_many: "Ci possono essere al massimo {{count}} automazioni. Eliminane prima una.",
  too_many_failures: "Non è riuscita {{count}} volte di fila, quindi è stata spenta: {{reason}}",
  took_too_long: "Ha impiegato più dei suoi {{minutes}} minuti.",
  watch_needs_files: "richiede un avvio che attende i file di una cartella",
})
