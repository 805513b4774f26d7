import { AppError } from '../../errors.ts';
import type { Artifacts } from '../../memory/artifact.ts';
import type { Source } from '../../memory/entry.ts';
import type { ContextView } from '../../memory/facts/overview.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { Trust } from '../../memory/gate/trust.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { SpaceServices } from '../../memory/spaces/enter-space.ts';
import type { SpaceIdentity } from '../../memory/spaces/space.ts';
import type { CommonFinding } from '../history/defaults.ts';
import type { Run } from '../run.ts';
import { cancelled } from '../run-error.ts';
import type { PackContext, PackLogger } from './pack.ts';
import { createPackMemory, type PackMemory, type PackSpace } from './pack-memory.ts';
import type { PackFetch, PackServices, PackVault } from './pack-services.ts';
import { createPackSpace } from './pack-space.ts';

export interface ContextParts {
  services: PackServices;
  /** Absent while memory is off. */
  spaces: SpaceServices | undefined;
  rules: FactRules;
  log: PackLogger;
}

/** The context passed to a handler. Each service is created on first use and rejects calls once the run is over. */
export class ExecutionContext implements PackContext {
  readonly #run: Run;
  readonly #parts: ContextParts;
  #memory: PackMemory | undefined;
  #artifacts: Artifacts | undefined;

  constructor(run: Run, parts: ContextParts) {
    this.#run = run;
    this.#parts = parts;
  }

  get input(): unknown {
    return this.#run.input;
  }
  get caller(): Caller {
    return this.#run.caller;
  }
  get scopes(): ReadonlySet<string> {
    return this.#run.scopes;
  }
  get spaceAccess(): SpaceIdentity | undefined {
    return this.#run.spaceAccess;
  }
  get source(): Source {
    return this.#run.source;
  }
  get trust(): Trust {
    return this.#run.trust;
  }
  get context(): ContextView | undefined {
    return this.#run.context;
  }
  get findings(): readonly CommonFinding[] {
    return this.#run.findings ?? [];
  }
  get session(): string | undefined {
    return this.#run.session;
  }
  get signal(): AbortSignal {
    return this.#run.signal;
  }
  get logger(): PackLogger {
    return this.#parts.log;
  }
  get progress(): PackContext['progress'] {
    return (percent, message) => {
      if (!this.#run.signal.aborted) this.#run.progress(percent, message);
    };
  }

  get memory(): PackMemory | undefined {
    const { memory, session } = this.#run;
    if (!memory) return undefined;
    this.#memory ??= {
      ...this.#whileRunning(
        createPackMemory(memory, this.#parts.rules, session),
        'store',
        'recall',
        'list',
        'delete',
        'context',
      ),
      space: (slug) => this.#space(slug),
    };
    return this.#memory;
  }

  #space(slug: string): PackSpace {
    const { spaces, rules } = this.#parts;
    // Even if it turns out to be unknown: the result depends on grants that may change.
    this.#run.trail.namedSpace = true;
    const space = createPackSpace(this.#run, { services: spaces, rules }, slug);
    return this.#whileRunning(space, 'recall', 'list', 'context', 'store');
  }

  /** The caller's token decides, whichever pack runs: a handler that can read a secret can also return it. */
  get vault(): PackVault {
    const { caller, scopes } = this.#run;
    const vault = this.#parts.services.vaultOf(caller);
    const assertScope = (scope: string) => {
      if (!scopes.has(scope) && !scopes.has('admin'))
        throw new AppError('insufficient_scope', `This needs the scope ${scope}.`);
    };
    const guarded: PackVault = {
      async read(name) {
        assertScope('vault:read');
        return vault.read(name);
      },
      async write(name, value) {
        assertScope('vault:write');
        return vault.write(name, value);
      },
    };
    return this.#whileRunning(guarded, 'read', 'write');
  }

  /** Artifacts that the handler stores are listed in the result. */
  get artifacts(): Artifacts {
    const { caller, trail } = this.#run;
    if (this.#artifacts) return this.#artifacts;
    const artifacts = this.#parts.services.artifactsOf(caller);
    const recorded: Artifacts = {
      get: (key) => artifacts.get(key),
      list: (page) => artifacts.list(page),
      delete: (key) => artifacts.delete(key),
      async put(artifact) {
        const info = await artifacts.put(artifact);
        trail.artifacts.push(info);
        return info;
      },
    };
    this.#artifacts = this.#whileRunning(recorded, 'put', 'get', 'list', 'delete');
    return this.#artifacts;
  }

  get fetch(): PackFetch {
    const { caller, scopes, foreignData, signal, trail } = this.#run;
    const send = this.#parts.services.fetchOf(caller, scopes, foreignData);
    return async (url, init = {}) => {
      this.#assertRunning();
      trail.fetched = true;
      return send(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal });
    };
  }

  #assertRunning(): void {
    if (this.#run.signal.aborted) throw cancelled();
  }

  /** Wraps the named methods of a service so that they reject once the run is over. */
  #whileRunning<T extends object>(service: T, ...methods: (keyof T)[]): T {
    const wrapped = methods.map((name) => [
      name,
      async (...args: unknown[]) => {
        this.#assertRunning();
        const method = service[name] as (...given: unknown[]) => unknown;
        return method.apply(service, args);
      },
    ]);
    return { ...service, ...Object.fromEntries(wrapped) } as T;
  }
}
