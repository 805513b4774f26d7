/** The names of clients. */
const sourceStrings = {
  sources: {
    browser: 'You, in the browser',
    ui: 'You, in the browser',
    'first-token': 'First token',
    login: 'Login',
    rest: 'REST',
    cli: 'Command line',
    import: 'Import',
    mcp: 'Other MCP client',
    mcporter: 'mcporter',
    cursor: 'Cursor',
    vscode: 'VS Code',
    codex: 'Codex',
    'copilot-cli': 'Copilot CLI',
    opencode: 'opencode',
    kilo: 'Kilo',
    'qwen-code': 'Qwen Code',
    cline: 'Cline',
    continue: 'Continue',
    'claude-code': 'Claude Code',
    'claude-desktop': 'Claude Desktop',
    'gemini-cli': 'Gemini CLI',
    openclaw: 'OpenClaw',
  } as Record<string, string>,
} as const;

export const { sources } = sourceStrings;
