import { AppError } from '../../errors.ts';
import type { Artifacts } from '../../memory/artifact.ts';
import type { Source } from '../../memory/entry.ts';
import type { ContextView } from '../../memory/facts/overview.ts';
import type { FactRules } from '../../memory/facts/validate-fact.ts';
import type { Caller } from '../../memory/namespace.ts';
import type { Run } from '../run.ts';
import { cancelled } from '../run-error.ts';
import type { PackContext, PackLogger } from './pack.ts';
import { createPackMemory, type PackMemory } from './pack-memory.ts';
import type { PackFetch, PackServices, PackVault } from './pack-services.ts';

export interface ContextParts {
  services: PackServices;
  rules: FactRules;
  log: PackLogger;
}

/** What a handler is given. Each part is made when it is first asked for, and refuses to work once the run is over. */
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
  get source(): Source {
    return this.#run.source;
  }
  get context(): ContextView | undefined {
    return this.#run.context;
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
    this.#memory ??= this.#leashed(
      createPackMemory(memory, this.#parts.rules, session),
      'store',
      'recall',
      'list',
      'delete',
      'context',
    );
    return this.#memory;
  }

  /** The caller's token decides, whatever the pack is: a handler that can read a secret can also give it out. */
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
    return this.#leashed(guarded, 'read', 'write');
  }

  /** What the handler puts there is told with the result. */
  get artifacts(): Artifacts {
    const { caller, trail } = this.#run;
    if (this.#artifacts) return this.#artifacts;
    const artifacts = this.#parts.services.artifactsOf(caller);
    const noted: Artifacts = {
      get: (key) => artifacts.get(key),
      list: (page) => artifacts.list(page),
      delete: (key) => artifacts.delete(key),
      async put(artifact) {
        const info = await artifacts.put(artifact);
        trail.artifacts.push(info);
        return info;
      },
    };
    this.#artifacts = this.#leashed(noted, 'put', 'get', 'list', 'delete');
    return this.#artifacts;
  }

  get fetch(): PackFetch {
    const send = this.#parts.services.fetchOf(this.#run.caller, this.#run.scopes);
    const { signal } = this.#run;
    return async (url, init = {}) => {
      this.#assertRunning();
      return send(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal });
    };
  }

  #assertRunning(): void {
    if (this.#run.signal.aborted) throw cancelled();
  }

  /** These methods of a service, each of which asks first whether the run still goes on. */
  #leashed<T extends object>(service: T, ...methods: (keyof T)[]): T {
    const leashed = methods.map((name) => [
      name,
      async (...args: unknown[]) => {
        this.#assertRunning();
        const method = service[name] as (...given: unknown[]) => unknown;
        return method.apply(service, args);
      },
    ]);
    return { ...service, ...Object.fromEntries(leashed) } as T;
  }
}
