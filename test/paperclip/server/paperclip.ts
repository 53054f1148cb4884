/** Paperclip's HTTP API, as far as the tests use it. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Check {
  code: string;
  level: 'info' | 'warn' | 'error';
  detail?: string;
}

export interface ProbeResult {
  ok: boolean;
  details: { leaseId?: string; error?: string };
}

export interface AgentTest {
  status: 'pass' | 'warn' | 'fail';
  checks: Check[];
}

export interface Run {
  id: string;
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  error: string | null;
}

interface WithId {
  id: string;
}

export class Paperclip {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Installs the plug-in in that folder and starts its worker. */
  installPlugin(folder: string): Promise<WithId> {
    return this.#post('/plugins/install', { packageName: folder, isLocalPath: true });
  }

  /** Ends the worker of the only plug-in and starts another. */
  async restartPlugin(): Promise<void> {
    const [plugin] = await this.#send<WithId[]>('GET', '/plugins');
    await this.#post(`/plugins/${plugin?.id}/disable`, {});
    await this.#post(`/plugins/${plugin?.id}/enable`, {});
  }

  createCompany(name: string): Promise<WithId> {
    return this.#post('/companies', { name });
  }

  createSandbox(companyId: string, name: string, config: object): Promise<WithId> {
    return this.#post(`/companies/${companyId}/environments`, { name, driver: 'sandbox', config });
  }

  changeConfig(environmentId: string, config: object): Promise<unknown> {
    return this.#send('PATCH', `/environments/${environmentId}`, { config });
  }

  deleteEnvironment(environmentId: string): Promise<unknown> {
    return this.#send('DELETE', `/environments/${environmentId}`);
  }

  /** Acquires a lease of the environment and releases it. */
  probe(companyId: string, environmentId: string): Promise<ProbeResult> {
    return this.#post(`/environments/${environmentId}/probe?companyId=${companyId}`, {});
  }

  /** Tests in the environment whether an agent of that command line could work there. */
  testAgent(companyId: string, environmentId: string, command: string): Promise<AgentTest> {
    return this.#post(`/companies/${companyId}/adapters/pi_local/test-environment`, {
      environmentId,
      adapterConfig: { command, model: 'test/test' },
    });
  }

  /** Lets agents' runs use duplex channels where the environment has them. */
  enableDuplexChannels(): Promise<unknown> {
    return this.#send('PATCH', '/instance/settings/experimental', { enableSandboxDuplexBridge: true });
  }

  createAgent(companyId: string, environmentId: string, name: string, command: string): Promise<WithId> {
    return this.#post(`/companies/${companyId}/agents`, {
      name,
      adapterType: 'pi_local',
      adapterConfig: { command, model: 'test/test' },
      defaultEnvironmentId: environmentId,
    });
  }

  /** Gives an agent another environment for its next runs. */
  moveAgent(agentId: string, environmentId: string): Promise<{ defaultEnvironmentId: string }> {
    return this.#send('PATCH', `/agents/${agentId}`, { defaultEnvironmentId: environmentId });
  }

  /**
   * An agent that works over ACP: the only kind whose start is stopped when its run is cancelled. Other agents go on to
   * the end of their work.
   */
  createAcpAgent(companyId: string, environmentId: string, name: string, command: string): Promise<WithId> {
    return this.#post(`/companies/${companyId}/agents`, {
      name,
      adapterType: 'kimi_local',
      adapterConfig: { agentCommand: command, model: 'test/test' },
      defaultEnvironmentId: environmentId,
    });
  }

  /** An issue that waits until somebody has its agent run. */
  createIssue(companyId: string, agentId: string, title: string): Promise<WithId> {
    const status = 'backlog';
    return this.#post(`/companies/${companyId}/issues`, { title, status, assigneeAgentId: agentId });
  }

  /** Runs the agent once, to its end, for an issue if one is given. */
  async run(agentId: string, issueId?: string): Promise<Run> {
    let run = await this.start(agentId, issueId);
    while (run.status === 'queued' || run.status === 'running') {
      await delay(100);
      run = await this.#send('GET', `/heartbeat-runs/${run.id}`);
    }
    return run;
  }

  /** Starts a run of the agent. */
  start(agentId: string, issueId?: string): Promise<Run> {
    const payload = issueId === undefined ? {} : { payload: { issueId } };
    return this.#post(`/agents/${agentId}/heartbeat/invoke`, payload);
  }

  /** Cancels a run, and waits until it has stopped. */
  cancel(runId: string): Promise<Run> {
    return this.#post(`/heartbeat-runs/${runId}/cancel`, {});
  }

  #post<T>(path: string, body: object): Promise<T> {
    return this.#send('POST', path, body);
  }

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.#url}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}
