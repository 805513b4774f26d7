// Node-20-safe: installs, then runs a TypeScript program of this workspace: node scripts/run.js <file> [arguments].
import { install, run } from './install.js';

install();
process.exitCode = run(['--disable-warning=ExperimentalWarning', ...process.argv.slice(2)]);
