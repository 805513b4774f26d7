import { ENGLISH_RULES } from './english.ts';
import type { HarvestRule } from './rule.ts';

// German, French and Spanish: the same kinds of statement as in English, by the words that carry them. JavaScript's \b knows
// ASCII letters only, so words that begin or end with another letter are bounded by white space.

/** What a rule of English says about the statements that it finds, for other words. */
function kindOf(name: string): Omit<HarvestRule, 'patterns'> {
  return ENGLISH_RULES.find((rule) => rule.name === name)!;
}

const GERMAN: readonly HarvestRule[] = [
  {
    ...kindOf('asked_to_remember'),
    patterns: [
      /\b(?:merk dir|merke dir|denk daran|denke daran|vergiss nicht|beachte|zur info|zur kenntnis)\b/,
    ],
  },
  {
    ...kindOf('reminder'),
    patterns: [/\berinner(?:e|st)? mich\b/],
  },
  {
    ...kindOf('contradiction'),
    patterns: [
      /^(?:nein|falsch|nee|quatsch|korrektur|stimmt nicht|das stimmt nicht|das ist (?:falsch|nicht richtig))[,:;.! -]+.*\b(?:ist|sind|heißt|läuft|liegt|wir|hat|haben|war|gehört|nutzen)(?=[\s,.!]|$)/,
      // Who says so much needs no particular verb.
      /^(?:das stimmt nicht|stimmt nicht|das ist (?:falsch|nicht richtig)|du irrst dich)[,:;.! -]+(?:\S+ ){2,}\S/,
      /^(?:nein|nee|falsch|korrektur)[,:;.! -]+(?:(?:er|sie|es|wir)|(?:der|die|das|unsere?|meine?) \p{L}+) (?:\S+ )+\S/u,
      /\b(?:eigentlich|tatsächlich) (?:ist|sind|heißt|läuft|nutzen|verwenden|haben|wir|der|die|das)(?=\s)/,
      /(?:ist|sind|heißt|läuft|liegt|nutzen|verwenden|nehmen|kommt|geht) .{1,80}, (?:und )?nicht \S+/,
      /\bnicht .{2,60}, sondern \S+/,
      /\b(?:nutzen|verwenden|haben|gibt es|benutzen|ist|sind|läuft)(?=\s).{0,60}\b(?:nicht mehr|kein(?:e|en)? .{0,30}mehr)\b/,
    ],
  },
  {
    ...kindOf('decision'),
    patterns: [
      /\b(?:wir|ich|das team)\b.{0,80}\b(?:entschieden|beschlossen|geeinigt|festgelegt|abgeschafft|verworfen|ausgewählt|gewählt|vereinbart|umgestellt|verschoben)\b/,
      /\bwir (?:nehmen|bleiben bei|wechseln|setzen (?:auf|künftig)|verzichten|migrieren|gehen mit|verschieben|streichen|behalten|werden .{2,60} (?:nutzen|verwenden|umstellen|einsetzen|nehmen))(?=\s)/,
      /\bwir (?:steigen|stellen|ziehen|führen|schalten)\b.{2,100}\b(?:um|ein|ab)[.!]?$/,
      /\bwir lassen .{2,100}\b(?:laufen|weg|stehen|fallen|bleiben|liegen)[.!]?$/,
      /^(?:entscheidung|beschluss|beschlossen)\s*:/,
      /\blass(?:t)? uns (?:.{2,60} )?(?:nehmen|verwenden|nutzen|bleiben|einsetzen|umsteigen|wechseln)\b/,
    ],
  },
  {
    ...kindOf('promise'),
    patterns: [
      /\b(?:ich|wir)\b.{2,120}\b(?:bis (?:zum|morgen|mon|diens|mitt|donners|frei|sams|sonn|ende|heute|nächste|\d)|morgen|vor dem|nächste[nr]? (?:woche|monat)|am (?:mon|diens|mitt|donners|frei|sams|sonn))/,
      /^(?:bis|vor|am) .{2,30}\b(?:mache|schicke|liefere|erledige|muss|werde|gebe|bringe|schreibe|habe|melde|kümmere|zahle) (?:ich|wir)\b/,
      /^(?:der|die|das|unsere?)\s.{0,40}(?:termin|besprechung|treffen|sitzung|demo|abnahme|wartungsfenster|freigabe|umzug|schulung)\b.{0,40}\b(?:ist|findet|beginnt|startet)\b.{0,30}\bam (?:\d|mon|diens|mitt|donners|frei|sams|sonn)/,
      /\b(?:habe .{2,60} versprochen|die frist|der abgabetermin|die deadline|stichtag|fällig (?:am|bis))\b/,
    ],
  },
  {
    ...kindOf('standing_instruction'),
    patterns: [
      /\b(?:ab jetzt|ab sofort|ab heute|von nun an|in zukunft|zukünftig|künftig|grundsätzlich|generell|standardmäßig|jedes mal|immer wenn)(?=[\s,])/,
      /^(?:bitte )?(?:immer|nie|niemals)\b/,
      /^(?:bitte )?\p{L}+e? (?:\p{L}+ ){0,6}(?:immer|nie|niemals)\b/u,
      /^(?:bitte )?(?:nenn|nenne|duze?|sieze?) mich\b/,
      /^(?:bitte )?(?:keine?n?|nicht|nie) .{2,100}/,
      /^(?:bitte )?(?:antworte|schreib|schreibe|sprich|erkläre?|formulier|formuliere|verwende|benutze|nutze|halte?|vermeide?|fass(?:e)? dich)\b.{0,80}\b(?:auf deutsch|auf englisch|kurz|knapp|statt|anstatt|keine|ohne|in allen|für alle|überall|nicht|höchstens|einfach|per du)\b/,
      /^(?:bitte )?(?:hör|höre) auf\b/,
      /^(?:wenn|bevor|sobald|falls) (?:du|ich|wir)\b.{2,100}, \p{L}+/u,
    ],
  },
  {
    ...kindOf('preference'),
    patterns: [
      /\bich (?:bevorzuge|mag|hasse|liebe|möchte|will|hätte gern|ziehe .{2,60} vor|arbeite (?:am liebsten|lieber|immer)|nutze (?:immer|am liebsten|lieber|nur)|verwende (?:immer|nur|lieber)|benutze (?:immer|nur|lieber)|trinke|esse (?:kein|gern|nur|lieber)|finde .{2,60} (?:besser|übersichtlicher|lesbarer|nervig|schöner))(?=[\s,.]|$)/,
      /\b(?:am liebsten|mir ist .{2,60} lieber|ist mir lieber|mein(?:e)? liebling\p{L}*|gefällt mir (?:besser|nicht)|kann ich nicht (?:leiden|ausstehen)|geht mir auf die nerven)/u,
      /\bich .{2,40} (?:lieber|nie|niemals|immer|normalerweise|meistens|grundsätzlich)\b/,
    ],
  },
  {
    ...kindOf('about_the_person'),
    patterns: [
      /\b(?:ich heiße|ich heisse|mein name ist|ich wohne|ich lebe|ich arbeite|ich komme aus|ich bin (?:(?!gerade|heute|morgen|jetzt|noch|schon|nicht|mir|neu|erst|bald|seit|wieder|auch|unterwegs|dabei|allein|fertig|sicher)\p{L}+ (?:in|bei|beim|im|von|der|des) (?:\p{L}+ )?\p{L}|allergisch|vegetarier|veganer|verheiratet|ein|eine|\p{L}+(?:er|in|iker|ist|ent|or|eur|at)\b)|ich spreche|ich studiere|ich leite|ich nutze (?:einen?|das|die|den)|ich benutze|ich verwende|ich fahre|ich habe (?:zwei|drei|vier|eine?n?|\d) (?:kind|sohn|tochter|hund|katze|söhne|töchter|bruder|schwester|allergie))/u,
      /\b(?:meine?|unsere?) (?:frau|mann|sohn|tochter|kinder|mutter|vater|bruder|schwester|hund|katze|chefin?|geburtstag|partnerin?|freundin?|adresse|firma|zeitzone|muttersprache)\b.{0,40}\b(?:ist|sind|heißt|hat|wird|wohnt|arbeitet|geht)(?=\s)/,
    ],
  },
  {
    ...kindOf('how_we_work'),
    patterns: [
      /\bwir (?:nutzen|verwenden|benutzen|arbeiten mit|arbeiten in|arbeiten nach|betreiben|hosten|deployen|speichern|unterstützen|testen mit|entwickeln|haben (?:zwei|drei|vier|fünf|\d+)|sind (?:ein team|\d+)|schreiben|bezahlen|setzen .{2,40} ein)(?=\s)/,
      // What is rare is looked for first, and what must stand before it only then. The object comes first: "Commits schreiben wir auf Englisch."
      /\b(?:schreiben|nutzen|verwenden|benutzen|speichern|testen|verwalten|benennen|hosten|deployen|halten|machen) wir (?=\p{L})(?<=^(?!(?:was|wie|wo|wann|warum|wer|wen|dann|jetzt|heute|so|das|hier) )[\p{L}-]+ (?:[\p{L}-]+ ){0,3}?\S+ wir )/u,
      /\bbei uns\b(?:(?<=\b(?:ist|sind|heißt|läuft|gilt|gelten) .{0,60}bei uns)|(?<=^bei uns) (?:ist|sind|heißt|läuft|gilt|gelten|wird|werden)(?=\s))/,
      /\b\p{L}+ (?:ist zuständig|ist verantwortlich|betreut|leitet|kümmert sich|ist unser|ist im urlaub|vertritt)(?=[\s,.])/u,
    ],
  },
  {
    ...kindOf('statement'),
    confidence: 0.65,
    patterns: [
      /^(?:unsere?n?|mein|meine|der|die|das|alle|jede[rs]?|dieses|diese[rs]?) (?:[\p{L}\p{N}'./_-]+ ){1,6}?(?:ist|sind|läuft|laufen|liegt|liegen|heißt|heißen|steht|stehen|hat|haben|nutzt|nutzen|verwendet|gehört|gehören|braucht|kommt|kommen|geht|gehen|endet|beginnt|kostet|dauert|beträgt|betragen|erscheint|erscheinen|lautet|befindet|muss|müssen|wird|werden|sitzt|sitzen|wohnt|gilt|gelten|bekommt|bekommen|schließt|öffnet|arbeitet|arbeiten|macht|machen|folgt|startet|erwartet|speichert|enthält|unterstützt)(?=\s)/u,
      /^(?:in|bei|für|auf|mit) (?:unser\p{L}*|dies\p{L}*|mein\p{L}*) \p{L}+ (?:\p{L}+ ){0,3}(?:wir|ich|gilt|gibt)(?=\s)/u,
      /^(?:unser|unsere|unseren|meine?) (?:[\p{L}\p{N}'./_-]+ ){3,}/u,
      /^wir (?!müssen|sollten|können|könnten|wollen|brauchen|schauen|gucken|sehen|probieren|versuchen|hatten|waren|haben|werden)\p{L}+en (?:\p{L}+ ){0,8}(?:kein\p{L}*|nie|immer|nur|\p{L}+tags|mit|bei|auf|in|über|jeden|täglich|wöchentlich|monatlich)(?=\s)/u,
      /^(?!alles|nichts|dann|jetzt|heute|morgen|gestern|hier|dort|sonst|wann)\p{L}{4,} (?:ist|sind|beginnt|endet|gilt) (?:um|am|ab|bis|in|bei) (?:\p{L}+ )?[\p{L}\p{N}]/u,
      /^für .{2,60} (?:ist|sind) .{2,60} (?:zuständig|verantwortlich)[.!]?$/,
      /^(?:ansprechpartner|zuständig|verantwortlich|kontakt)\p{L}* (?:für .{2,40} )?(?:ist|sind)(?=\s)/u,
    ],
  },
];

const FRENCH: readonly HarvestRule[] = [
  {
    ...kindOf('asked_to_remember'),
    patterns: [
      /\b(?:souviens-toi|rappelle-toi|n'oublie pas|retiens|garde en tête|note bien|pour info|pour mémoire|sache)(?=[\s,:])/,
    ],
  },
  {
    ...kindOf('reminder'),
    patterns: [/\brappelle-moi\b/],
  },
  {
    ...kindOf('contradiction'),
    patterns: [
      /^(?:non|faux|c'est faux|pas du tout|erreur|correction|ce n'est pas (?:vrai|ça|correct))[\s,:;.!]+.*(?:\b(?:est|sont|utilise|utilisons|avons|on|tourne|s'appelle|c'est)\b)/,
      /^(?:c'est faux|ce n'est pas (?:vrai|ça|correct|exact)|tu te trompes)[\s,:;.!]+(?:\S+ ){2,}\S/,
      /^(?:non|faux|erreur)[,:;.!]+\s(?:(?:ils?|elles?|on|nous)|(?:le|la|les|notre|nos|mon|ma|mes) \p{L}+) (?:\S+ )+\S/u,
      /^(?:en fait|en réalité|plutôt)[\s,]+.*\b(?:est|sont|utilise|on|nous|a|s'appelle|c'est)\b/,
      /\b(?:est|sont|s'appelle|utilise|utilisons|tourne|a lieu|c'est)\b.{1,80}, (?:et )?(?:pas|non) \S+/,
      /\b(?:n'|ne )\S+(?: \S+)? plus\b/,
    ],
  },
  {
    ...kindOf('decision'),
    patterns: [
      /\b(?:on a|nous avons|j'ai|l'équipe a)(?: finalement| tous)? (?:décidé|choisi|opté|convenu|retenu|abandonné|adopté|tranché|validé|migré|remplacé|reporté)/,
      /\b(?:on part sur|on passe (?:à|sur)|on garde|on abandonne|on reste (?:sur|avec)|on va (?:utiliser|garder|partir|passer)|nous allons (?:utiliser|garder|passer)|on utilisera|on reporte|nous passons|on bascule|on migre)(?=\s)/,
      /^décision\s*:/,
      /\b(?:partons sur|utilisons plutôt|gardons)\b/,
    ],
  },
  {
    ...kindOf('promise'),
    patterns: [
      /(?:^|\s)(?:je|j'|on|nous)(?:\s|\p{L}).{2,120}(?:\s)(?:avant (?:le|la|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain|midi|fin|ce)|d'ici|demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|la semaine prochaine|pour (?:le \d|lundi|mardi|mercredi|jeudi|vendredi))/u,
      /^(?:l'|la |le |notre |nos )\s?.{0,20}(?:réunion|démo|livraison|mise en production|rendez-vous|lancement|atelier|formation|mise à jour)(?=\s).{0,60}(?:a lieu|est|sera|commence) (?:prévue? )?(?:le|ce|lundi|mardi|mercredi|jeudi|vendredi)(?=\s)/,
      /^(?:demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|avant|d'ici|la semaine prochaine)(?=\s|,).{0,40}\b(?:je dois|on doit|nous devons|il faut que|j'envoie|je livre|je rends|j'appelle)(?=\s)/,
      /\b(?:j'ai promis|la date limite|l'échéance|à rendre (?:avant|le|pour))(?=\s)/,
    ],
  },
  {
    ...kindOf('standing_instruction'),
    patterns: [
      /(?:^|\s)(?:désormais|dorénavant|à partir de maintenant|à l'avenir|par défaut|en règle générale|à chaque fois)(?=[\s,])/,
      /\b(?:ne|n')\s?\S+ (?:\S+ )?jamais\b/,
      /^(?:merci de )?(?:toujours|jamais)\b/,
      /^\p{L}+(?:-moi)? toujours\b/u,
      /^(?:appelle-moi|tutoie-moi|vouvoie-moi)(?=\s|$)/,
      /^(?:réponds|écris|parle|utilise|explique)(?:-moi)?\s.{0,80}(?:en français|en anglais|toujours|plutôt que|au lieu|pas de|sans|partout|pour tous|dans tous|, pas )/,
      /^(?:évite|arrête|cesse) (?:de |d'|les |le |la |tout)/,
      /^(?:pas de|pas d') ?\S+/,
      /^(?:quand|avant de|lorsque|si) (?:tu|on|je|nous|\p{L}+er)\b.{2,100}, \p{L}+/u,
    ],
  },
  {
    ...kindOf('preference'),
    patterns: [
      /(?:^|\s)(?:je préfère|nous préférons|on préfère|j'aime|je n'aime pas|j'aime pas|je déteste|j'adore|j'ai horreur|je ne supporte pas|je veux|j'aimerais que tu|je trouve .{2,60} plus|mon \p{L}+ préféré|ma \p{L}+ préférée)(?=\s|$)/u,
      /(?:^|\s)(?:je|j') ?\p{L}+ (?:toujours|jamais|d'habitude|généralement|rarement)(?=\s)/u,
    ],
  },
  {
    ...kindOf('about_the_person'),
    patterns: [
      /(?:^|\s)(?:je m'appelle|mon nom est|j'habite|je vis|je travaille|je suis (?:allergique|végétarien|végétarienne|végan|mariée?|né|née|un|une|\p{L}+(?:eur|euse|ien|ienne|iste|ant|ante|teur|trice)\b)|je parle|j'utilise|je me sers|j'étudie|je (?:dirige|tiens|possède) (?:une?|le|la|les) |je gère une? |j'ai (?:deux|trois|un|une|\d+) (?:enfants?|fils|filles?|chiens?|chats?|frères?|sœurs?|allergie))/u,
      /\b(?:ma femme|mon mari|mon fils|ma fille|mes enfants|ma mère|mon père|mon chien|mon chat|mon chef|mon anniversaire|mon adresse|ma sœur|mon frère|ma langue|mon entreprise)\s.{0,40}\b(?:est|sont|s'appelle|a|aura|habite|travaille)(?=\s)/,
    ],
  },
  {
    ...kindOf('how_we_work'),
    patterns: [
      /\b(?:nous|on) (?:utilisons|utilise|travaillons|travaille|hébergeons|héberge|déployons|déploie|stockons|stocke|testons|avons \d+|avons (?:deux|trois|quatre|cinq)|écrivons|supportons|développons|livrons|livre|publions|publie|fait|faisons|paie|payons|vend|vendons|sauvegarde|suit|suivons)(?=\s)/,
      /^(?:on|nous) (?!va|vas|peut|peux|pourrait|devrait|essaie|essayons|regarde|regardons|allons|doit|a |avons|verra|dirait)\p{L}+ (?:\p{L}+ ){0,8}(?:uniquement|seulement|jamais|toujours|chaque|tous|toutes|avec|sur|chez|en|le (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche))(?=\s|[.,]|$)/u,
      /^c'est \p{L}+(?: \p{L}+)? qui \p{L}+/u,
      /^(?:le|la|les|notre|nos|mon|ma) .{2,40}, c'est (?!que|de|pas|trop|bien|très|plus|comme|juste|quoi|pour|quand)\p{L}+/u,
      /\bchez nous[.!]?$(?<!^(?:si|et) .*)(?<=\b(?:est|sont) .{0,60}chez nous[.!]?)/,
      /\b(?!je |tu |qui )\p{L}+ (?:est responsable|s'occupe|gère|dirige|est en congé|est notre)(?=\s)/u,
    ],
  },
  {
    ...kindOf('statement'),
    confidence: 0.65,
    patterns: [
      /^(?:notre|nos|mon|ma|mes|le|la|les|l'|tous les|toutes les|chaque|ce|cette) ?(?:[\p{L}\p{N}'./_-]+ ){1,6}?(?:est|sont|tourne|tournent|s'appelle|se trouve|utilise|utilisent|a|ont|dure|coûte|commence|finit|vit|passe|doit|doivent|appartient|contient|a lieu|ferme|ouvre|expire|travaille|habite|reste|vient|viennent|passent|demande|demandent|gère|héberge|compte|comptent|parle|parlent|part|arrive)(?=\s)/u,
      /^(?:notre|nos|dans notre \p{L}+,? (?:on|nous)) (?:[\p{L}\p{N}'./_-]+ ){3,}/u,
    ],
  },
];

const SPANISH: readonly HarvestRule[] = [
  {
    ...kindOf('asked_to_remember'),
    patterns: [
      /\b(?:recuerda|acuérdate|ten en cuenta|no olvides|no te olvides|apunta|para que conste|para tu información)(?=[\s,:])/,
    ],
  },
  {
    ...kindOf('reminder'),
    patterns: [/\b(?:recuérdame|avísame (?:antes|el|cuando))(?=\s)/],
  },
  {
    ...kindOf('contradiction'),
    patterns: [
      /^(?:no|falso|incorrecto|corrección|te equivocas|eso no es (?:cierto|verdad|correcto|así)|eso está mal)[,:;.!]+\s.*(?:^|\s)(?:es|son|está|están|se llama|usamos|tiene|corre|era|van?|vive|usan?|cuestan?|empiezan?|escuchan?)(?=\s)/,
      /^(?:te equivocas|(?:eso )?no es (?:cierto|verdad|correcto|así)|eso está mal)[,:;.!]+\s(?:\S+ ){2,}\S/,
      /^(?:no|falso|incorrecto)[,:;.!]+\s(?!podemos|vamos|queremos|la verdad)(?:\p{L}+[aei]mos|(?:el|la|los|las|nuestr[oa]s?) \p{L}+ \p{L}+) (?:\S+ )+\S/u,
      /^(?:en realidad|de hecho|más bien)[\s,]+.*(?:^|\s)(?:es|son|está|están|se llama|usamos|tiene)(?=\s)/,
      /(?:^|\s)(?:es|son|está|están|se llama|usamos|corre|va)\s.{1,80}, (?:y )?no \S+/,
      /(?:^|\s)ya no (?:se )?(?:usamos|usa|es|está|tenemos|utilizamos|hay|vivo|trabajo)(?=\s|$)/,
    ],
  },
  {
    ...kindOf('decision'),
    patterns: [
      /\b(?:hemos|he|han|el equipo ha) (?:decidido|elegido|acordado|optado|escogido|abandonado|adoptado|descartado|migrado|quedado)\b/,
      /\b(?:decidimos|acordamos|elegimos|optamos|nos quedamos con|nos decidimos|vamos a (?:usar|utilizar|pasar|mantener|migrar|cambiar|seguir|dejar)|vamos con|pasamos a|migramos a|cambiamos a|seguimos con|usaremos|mantenemos|descartamos|aplazamos)(?=\s)/,
      /^decisión\s*:/,
    ],
  },
  {
    ...kindOf('promise'),
    patterns: [
      /\b(?:te|os|le|les|lo|la)? ?(?:mando|envío|entrego|termino|haré|enviaré|mandaré|tengo que|debo|tenemos que|voy a|llamo|llamaré|pago|acabo|preparo|reviso|escribo|necesito)(?=\s).{2,120}(?:\s)(?:antes (?:de|del)|para el|mañana|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|la semana que viene|hasta el|esta semana)(?=[\s.,]|$)/,
      /^(?:la|el|nuestra|nuestro)\s.{0,20}(?:reunión|demo|entrega|lanzamiento|cita|formación|despliegue|revisión)(?=\s).{0,60}(?:es|será|empieza) el (?:\d|lunes|martes|miércoles|jueves|viernes)/,
      /^(?:mañana|antes|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|la semana que viene)(?=\s|,).{0,40}\b(?:tengo que|debo|tenemos que|debemos|hay que|entrego|envío|llamo)(?=\s)/,
      /\b(?:he prometido|prometí|la fecha límite|el plazo|la entrega es|vence el)(?=\s)/,
    ],
  },
  {
    ...kindOf('standing_instruction'),
    patterns: [
      /\b(?:a partir de ahora|de ahora en adelante|en el futuro|en adelante|por defecto|por norma|cada vez que|como regla)(?=[\s,])/,
      /^(?:por favor,? )?(?:siempre|nunca|jamás)(?=\s)/,
      /^\p{L}+ siempre(?=\s)/u,
      /^(?:por favor,? )?(?:llámame|tutéame|háblame|trátame)(?=\s|$)/,
      /^(?:por favor,? )?(?:responde|contesta|escribe|explica|usa|utiliza)(?:me)?\s.{0,80}(?:en español|en inglés|siempre|en lugar de|en vez de|sin |para todos|en todos|, no )/,
      /^(?:por favor,? )?(?:evita|deja de|no (?:uses|hagas|añadas|escribas|toques|borres|pongas|me|incluyas|modifiques|cambies))(?=\s)/,
      // "Si" is French as well.
      /^(?:cuando|antes de|si) (?!ça |c'|tu |on |je |il |elle |vous ).{2,100}, \p{L}+/u,
    ],
  },
  {
    ...kindOf('preference'),
    patterns: [
      /(?:^|\s)(?:prefiero|preferimos|(?:no )?me gustan?|me encantan?|odio|detesto|no soporto|quiero que (?:me|siempre|uses|respondas)|mi \p{L}+ (?:favorit[oa]|preferid[oa]))(?=\s|$)/u,
      /(?:^|\s)(?:yo )?(?:siempre|nunca|normalmente|suelo) \p{L}+(?:o|ar|er|ir)\b/u,
    ],
  },
  {
    ...kindOf('about_the_person'),
    patterns: [
      /(?:^|\s)(?:me llamo|mi nombre es|vivo (?:en|con)|trabajo (?:en|como|de|para)|soy (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|de |un|una|\p{L}+(?:er[oa]|or|ora|ista|ante|ente|ic[oa]|ad[oa])(?=[\s.,]|$))|hablo|uso (?:un|una|el|la)|estudio|dirijo|(?:tengo|llevo) un[oa]? (?!duda|problema|pregunta|error|fallo|idea)\p{L}+ (?:de|en) |tengo (?:dos|tres|un|una|\d+) (?:hij[oa]s?|perr[oa]s?|gat[oa]s?|herman[oa]s?|años|alergia)|no como|no bebo)/u,
      /\b(?:mi mujer|mi marido|mi hijo|mi hija|mis hijos|mi madre|mi padre|mi perro|mi gato|mi jefe|mi jefa|mi cumpleaños|mi dirección|mi hermana|mi hermano|mi empresa)\s.{0,40}(?:^|\s)(?:es|son|se llama|tiene|cumple|vive|trabaja)(?=\s)/,
    ],
  },
  {
    ...kindOf('how_we_work'),
    patterns: [
      /^(?:los|las|el|la) (?:[\p{L}'./_-]+ ){1,5}se (?:guardan?|hacen?|usan?|ejecutan?|despliegan?|publican?|almacenan?|escriben?|borran?|renuevan?|envían?|cierran?|abren?|revisan?|pagan?|facturan?)(?=\s)/u,
      /\b(?:usamos|utilizamos|trabajamos|alojamos|desplegamos|guardamos|probamos|tenemos (?:dos|tres|cuatro|cinco|\d+)|escribimos|desarrollamos|publicamos|seguimos (?:scrum|kanban)|hacemos|vendemos|pagamos|lanzamos|entregamos|monitorizamos|facturamos)(?=\s)/,
      /^(?:nosotros )?(?!vamos|podemos|queremos|necesitamos|tenemos que|debemos)\p{L}+[aei]mos (?:\p{L}+ ){0,8}(?:solo|sólo|nunca|siempre|cada|todos|todas|con|en|los (?:lunes|martes|miércoles|jueves|viernes))(?=\s)/u,
      /\b\p{L}+ (?:es responsable|se encarga|lleva el|dirige|está de vacaciones|es nuestr[oa])(?=\s)/u,
    ],
  },
  {
    ...kindOf('statement'),
    confidence: 0.65,
    patterns: [
      /^(?:nuestr[oa]s?|mi|mis|el|la|los|las|todos los|todas las|cada|este|esta) (?:[\p{L}\p{N}'./_-]+ ){1,6}?(?:es|son|está|están|se llama|corre|corren|tiene|tienen|usa|usan|vive|dura|cuesta|empieza|termina|va|van|pertenece|contiene|necesita|debe|deben|sale|llega|cierra|abre|habla|hablan|vence|guarda|recibe)(?=\s)/u,
      /^(?:nuestr[oa]s?|en nuestr[oa] \p{L}+,?) (?:[\p{L}\p{N}'./_-]+ ){3,}/u,
    ],
  },
];

export const OTHER_LANGUAGE_RULES: readonly HarvestRule[] = [...GERMAN, ...FRENCH, ...SPANISH];
