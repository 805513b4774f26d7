// Signs of an order to a model, each weak, with a reason. Positive: an order. Negative: a fact.

/** In tenths of the logarithm of the odds, like all weights here. */
export const WORDING_BASE = -32;
/** Words of a few sentences that weigh this much are an order. */
export const ENOUGH_WORDING = 4;

/** Signs that are no words. */
export const MARK_WEIGHTS = {
  /** A clause begins with an order. */
  order: 8,
  /** It has an address of the web. */
  web: 10,
  /** It has an e-mail address. */
  mail: 14,
  /** Several words in capitals. */
  capitals: 16,
  /** A tag or bracket of a conversation. */
  tag: 13,
  /** It asks. */
  question: 8,
  /** It names a file with secrets. */
  path: 16,
};

/** Words that say the same about a text, in several languages. Any of them adds the weight, once. */
interface WordSign {
  reason: string;
  weight: number;
  /** Without accents. Endings (-s, -es, -ed, -ing) count as the same word. */
  words: string;
  /** The same in scripts without spaces. */
  ideographs?: RegExp;
}

export const WORD_SIGNS: readonly WordSign[] = [
  {
    reason: 'It speaks to its reader.',
    weight: 14,
    words: `
      you your yours yourself youre youll youve u dich dir dein deine deinen deiner deines deinem ihnen ihre
      ihren tu te ton ta tes vous votre vos tus usted ustedes su sus ты тебя тебе твой твои твоей твоих вы вас вам
      ваш ваши ваших
      ti tuo tuoi tua tue voi vostro voce voces seu sua seus suas jij jouw uw twoj twoja twoje sen senin siz
    `,
    ideographs: /你|您|あなた|당신/,
  },
  {
    reason: 'It names a model as the one who acts.',
    weight: 11,
    words: `
      assistant assistants agent agents ai llm llms model models chatbot chatbots bot bots gpt chatgpt claude gemini
      copilot ki assistent assistenten ia asistente asistentes modelo agente agentes modele ассистент ассистента ии
      модель агент агенты
      assistente assistenti modelli agenti asystent asystenta asistan
    `,
    ideographs: /助手|模型|人工智能|アシスタント|어시스턴트/,
  },
  {
    reason: 'It obliges.',
    weight: 6,
    words: `
      must should always never shall mandatory required requires obligated oblige need needs ought only mussen muss
      musst sollst sollen immer niemals nie dois doit devez toujours jamais debes debe deben siempre nunca должен
      должны всегда никогда обязан обязательно
      devi deve dovete devono deves devem moet moeten altijd nooit musisz zawsze nigdy asla mutlaka daima
    `,
    ideographs: /必须|必須|总是|始终|永远|务必|常に|必ず|항상|반드시/,
  },
  {
    reason: 'It is meant for what comes later.',
    weight: 10,
    words: `
      future forever permanently permanent persistent henceforth onward onwards forward session sessions
      conversation conversations interaction interactions subsequent chats chat turns every all each any
      zukunft zukunftig kunftig kunftigen dauerhaft ab desormais dorenavant avenir futures futurs futura futuras
      futuro adelante siempre впредь отныне будущем навсегда
      innanzi futuri ogni doravante adiante voortaan elke odtad kazdej bundan sonra
    `,
    ideographs: /今后|以后|未来|将来|从现在|今後|これから|앞으로/,
  },
  {
    reason: 'It is about what is remembered.',
    weight: 3,
    words: `
      memory memories remember memorize memorise memorized persist persisted store stored save saved knowledge
      context recall forget note profile merke merken speichere gedachtnis souviens retiens memoire recuerda
      recuerde memoria guarda запомни запомните память памяти сохрани
      ricorda memorizza salva memoria lembre memorize onthoud geheugen zapamietaj pamieci hatirla
    `,
    ideographs: /记住|記住|记忆|記憶|覚え|기억/,
  },
  {
    reason: 'It is about the rules of a model.',
    weight: 11,
    words: `
      instruction instructions directive directives rule rules guideline guidelines policy policies prompt prompts
      command commands protocol protocols constraint constraints order orders anweisung anweisungen regeln
      richtlinien vorgaben consigne consignes regles instrucciones instruccion reglas politicas directrices
      инструкции инструкция инструкций правила правил указания
      istruzione istruzioni regole direttive instrucao instrucoes regras diretrizes instructie instructies regels instrukcje polecenia zasady talimat talimatlari talimatlar kurallari
    `,
    ideographs: /指令|规则|規則|指示|提示词|ルール|지시|규칙/,
  },
  {
    reason: 'It is about limits and safety.',
    weight: 5,
    words: `
      safety restriction restrictions restricted safeguard safeguards filter filters filtering moderation ethics
      ethical moral morals limits limitation limitations guardrail guardrails censorship alignment disclaimer
      disclaimers warnings refusal refusals refuse security checks sandbox protections sicherheit einschrankungen
      beschrankungen restricciones seguridad securite ограничения ограничений безопасности
    `,
    ideographs: /限制|安全|审查|制限|제한/,
  },
  {
    reason: 'It is about asking and confirming.',
    weight: 3,
    words: `
      confirmation confirmations approval approvals approve approved approves consent verification verify permission
      permissions authorization authorisation confirm confirming asking review authenticate authentication mfa
      bestatigung genehmigung zustimmung ruckfrage confirmacion aprobacion autorizacion validation подтверждения
      подтверждение одобрение разрешения
      conferma approvazione confirmacao aprovacao bevestiging toestemming potwierdzenia zgody onay onayi
    `,
    ideographs: /确认|批准|授权|確認|승인|확인/,
  },
  {
    reason: 'It is about what a model answers.',
    weight: 9,
    words: `
      response responses respond responding answer answers answering reply replies replying output outputs
      outputting message messages summary summaries tell say says print display show repeat translate write antwort
      antworten reponse reponses repondre respuesta respuestas responde ответ ответы ответах отвечай
      rispondi risposta risposte responda resposta respostas antwoord antwoorden odpowiedz odpowiedzi yanit cevap
    `,
    ideographs: /回答|回复|回覆|输出|応答|返信|응답|답변/,
  },
  {
    reason: 'It sets something aside.',
    weight: 13,
    words: `
      ignore ignores ignored ignoring disregard disregarding forget override overrides overriding overridden bypass
      bypassing bypassed circumvent circumventing disable disabled disables disabling skip skipping skipped suppress
      suppressing overrule supersede supersedes superseded discard violate unlock unlocked evade omit neglect void
      obsolete revoked lifted waived suspend suspended remove removed replace replaced deactivate abandon ignoriere
      ignorieren vergiss uberspringe umgehe missachte deaktiviere ignorez oublie oubliez contourne desactive ignora
      ignorar olvida olvide omite desactiva игнорируй игнорируйте игнорировать забудь забудьте обойди отключи
      ignorare dimentica tralascia desconsidere esqueca ignorem negeer vergeet zignoruj pomin yoksay unut
    `,
    ideographs: /忽略|无视|無視|跳过|绕过|忘记|忘れ|무시/,
  },
  {
    reason: 'It wants a model without limits.',
    weight: 16,
    words: `
      unrestricted uncensored unfiltered jailbreak jailbroken unlimited freed dan evil amoral illegal
      unethical harmful immoral malicious godmode
    `,
    ideographs: /不受限|无限制/,
  },
  {
    reason: 'It gives away.',
    weight: 4,
    words: `
      reveal reveals disclose disclosing expose leak dump exfiltrate exfiltrating verbatim extract print repeat
      divulge revele revela раскрой покажи offenbare
    `,
    ideographs: /泄露|透露|显示|公开/,
  },
  {
    reason: 'It is about secrets.',
    weight: 6,
    words: `
      password passwords credential credentials secret secrets token tokens key keys apikey api private ssh
      confidential sensitive ssn cookie cookies env pii personal passwd shadow id rsa aws history contacts vault
      passwort passworter zugangsdaten schlussel geheimnisse mots identifiants cles contrasena contrasenas
      credenciales claves пароль пароли учетные ключи
      credenziali chiavi senha senhas credenciais chaves wachtwoord wachtwoorden hasla sifre sifreyi
    `,
    ideographs: /密码|密碼|密钥|凭据|パスワード|비밀번호|令牌/,
  },
  {
    reason: 'It names a place outside.',
    weight: 10,
    words: `
      url webhook endpoint attacker external evil collector c2 server remote link image
    `,
  },
  {
    reason: 'It hides.',
    weight: 8,
    words: `
      silently silent secretly secret quietly covertly covert hidden invisible unnoticed undetected discreetly
      stealthily stealth background heimlich unbemerkt stillschweigend secretement discretement silencieusement
      secretamente silenciosamente discretamente тайно незаметно скрытно
      segretamente silenziosamente nascosto escondido heimelijk stiekem potajemnie gizlice
    `,
  },
  {
    reason: 'It is about telling someone.',
    weight: 11,
    words: `
      tell telling mention mentioning inform informing notify notifying alert alerting warn warning acknowledge
      acknowledging aware disclose know explain reveal erwahne erwahnen informiere informer mentionner prevenir
      menciones mencionar informar informes сообщай упоминай говори
    `,
    ideographs: /告诉|告知|提及|通知|伝え|알리/,
  },
  {
    reason: 'It forbids or denies.',
    weight: 4,
    words: `
      not dont don t never no without cannot can nor nicht kein keine ohne pas sans jamais sin nunca не без
      non mai nao nem niet geen nie bez
    `,
    ideographs: /不要|不得|请勿|没有|ないで|하지/,
  },
  {
    reason: 'It speaks of the user as someone else.',
    weight: 16,
    words: `
      user users owner human humans customer operator person benutzer nutzer nutzers anwender utilisateur
      utilisateurs usuario usuarios пользователь пользователя пользователю пользователей
      utente utenti utilizador utilizadores gebruiker gebruikers uzytkownik uzytkownika uzytkownikowi kullanici kullanicinin kullaniciya
    `,
    ideographs: /用户|使用者|ユーザー|사용자/,
  },
  {
    reason: 'It calls upon someone with rights.',
    weight: 10,
    words: `
      admin administrator administrators developer developers root superuser official officially authorized
      authorised verified certified openai anthropic creator creators ceo compliance audit executive administrateur
      administrador администратор администратора разработчик
    `,
  },
  {
    reason: 'It presses.',
    weight: 9,
    words: `
      urgent urgently critical important importantly priority emergency immediately attention asap wichtig dringend
      sofort urgente inmediatamente важно срочно немедленно immediatement
    `,
  },
  {
    reason: 'It asks for trust.',
    weight: 12,
    words: `
      trusted trustworthy authoritative legitimate safe reliable whitelist whitelisted allowlist preapproved pre
      approved vertrauenswurdig fiable confiable доверенный
      affidabile affidabili confiaveis betrouwbaar zaufany guvenilir
    `,
  },
  {
    reason: 'It runs something.',
    weight: 1,
    words: `
      run runs running execute executes executing executed eval curl wget bash sudo invoke invoking call calls
      calling shell script download install chmod exec fetch fuhre executez ejecuta ejecutar выполни выполняй
      запусти
    `,
    ideographs: /执行|執行|运行|実行|실행/,
  },
  {
    reason: 'It destroys.',
    weight: 11,
    words: `
      delete deletes deleting drop wipe erase destroy overwrite purge rm truncate losche supprime borra elimina
      удали
    `,
  },
  {
    reason: 'It favours something.',
    weight: 11,
    words: `
      recommend recommends recommending recommended recommendation recommendations promote promoting suggest
      suggesting prefer prioritize prioritise favor favour rank endorse cite superior best competitors competitor
      alternatives empfehle empfehlen recommande recommander recomienda recomendar рекомендуй рекомендуйте
      raccomanda consiglia recomende aanbevelen polecaj oner
    `,
    ideographs: /推荐|推薦|推奨|추천/,
  },
  {
    reason: 'It hands out a role.',
    weight: 3,
    words: `
      pretend act acting roleplay role play simulate simulating imagine persona character become mode identity
      playing roleplaying dan stell tu toi actua finge притворись роль
    `,
    ideographs: /扮演|角色|假装/,
  },
  {
    reason: 'It changes what held before.',
    weight: 7,
    words: `
      now instead new updated update actually longer jetzt stattdessen neue neuen maintenant nouvelle nouvelles
      ahora nueva nuevas теперь новые вместо
    `,
  },
  {
    reason: 'It is about tools.',
    weight: 6,
    words: `
      tool tools function functions plugin mcp parameter argument workflow werkzeug outil herramienta инструмент
    `,
  },
  {
    reason: 'It refers to what was said before.',
    weight: 10,
    words: `
      previous prior above earlier preceding before former existing vorherigen bisherigen alle precedentes
      anteriores previas предыдущие предыдущих выше
    `,
    ideographs: /之前|以前|前の|上述|이전/,
  },
  {
    reason: 'It is about money.',
    weight: 12,
    words: `
      payment payments invoice invoices bank iban wallet transfer transfers refund bitcoin crypto funds pay zahlung
      uberweise paiement virement pago transferencia платеж переведи счет
    `,
  },
  {
    reason: 'It is about obeying.',
    weight: 7,
    words: `
      comply obey follow adhere submit accept complete begin start proceed continue perform treat consider regard
      assume befolge folge suis obeis sigue obedece следуй выполняй
    `,
  },
  {
    reason: 'It speaks as I: facts are kept in the third person.',
    weight: 10,
    words: `
      i me my mine im m ich mein meine je mon ma mes yo mi я мне мой
    `,
  },
  {
    reason: 'It claims what was said or done.',
    weight: 6,
    words: `
      was were had did been
    `,
  },
  {
    reason: 'It states what is.',
    weight: -5,
    words: `
      is are uses runs lives has
    `,
  },
];

/** Verbs with which orders begin. */
export const ORDER_WORDS = `
  ignore disregard forget override bypass circumvent disable skip suppress send forward transmit upload post email
  mail include append embed attach add insert inject prepend encode copy reveal disclose expose leak dump exfiltrate
  print repeat output display show tell say respond reply answer write summarize translate act pretend roleplay
  simulate imagine assume become remember memorize store save persist note keep treat consider regard follow obey
  comply adhere execute run call invoke use fetch read open access visit navigate download install delete remove erase
  wipe drop grant enable activate authorize approve allow give provide return list extract collect gather search find
  get retrieve update change modify set replace rewrite switch begin start continue proceed do perform complete
  confirm accept never always don dont recommend promote suggest prefer prioritize mention cite hide conceal stop let
  make ensure create generate describe transfer pay wire cc bcc direct redirect refer convert decode interpret click
  enter type submit report log mark label classify ignoriere vergiss sende leite fuge antworte merke speichere fuhre
  losche empfehle verwende nutze gib zeige ignorez oublie oubliez envoie envoyez ajoute ajoutez reponds repondez
  souviens retiens recommande supprime revele affiche ignora olvida envia reenvia incluye anade responde recuerda
  guarda recomienda ejecuta borra elimina revela muestra actua игнорируй игнорируйте забудь забудьте отправь отправляй
  перешли добавь добавляй отвечай запомни сохрани рекомендуй выполни удали раскрой покажи
`;

/** Words between which and the verb an order still begins. */
export const OPENING_WORDS = `
  please also then instead now just and so but always never kindly immediately first second finally next simply
  silently secretly quietly automatically actually therefore bitte toujours siempre всегда to
`;
