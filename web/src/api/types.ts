// SPDX-License-Identifier: Apache-2.0
/** Short names for the generated types; nothing is declared here that the OpenAPI document does not have. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Ablation = Schemas["Ablation"];
export type Alert = Schemas["Alert"];
export type AlertComment = Schemas["AlertComment"];
export type AlertDetail = Schemas["AlertDetail"];
export type AlertMove = Schemas["AlertMove"];
export type AlertStep = Schemas["AlertStep"];
export type Backfill = Schemas["Backfill"];
export type BackfillNew = Schemas["BackfillNew"];
export type BenchHost = Schemas["nalm_server__hosts__schemas__Host"];
export type Bisect = Schemas["Bisect"];
export type BisectDetail = Schemas["BisectDetail"];
export type BisectNew = Schemas["BisectNew"];
export type BisectStep = Schemas["BisectStep"];
export type Change = Schemas["nalm_core__change__Change"];
export type ChangePoint = Schemas["ChangePoint"];
export type Check = Schemas["Check"];
export type Commit = Schemas["Commit"];
export type CommitRef = Schemas["CommitRef"];
export type Compared = Schemas["Compared"];
export type Comparison = Schemas["Comparison"];
export type Confirmation = Schemas["Confirmation"];
export type Confirming = Schemas["Confirming"];
export type Contribution = Schemas["Contribution"];
export type Controls = Schemas["Controls"];
export type Decomposition = Schemas["Decomposition"];
export type Delivery = Schemas["Delivery"];
export type Experiment = Schemas["Experiment"];
export type ExperimentDetail = Schemas["ExperimentDetail"];
export type ExperimentKind = Schemas["nalm_core__experiments__cell__Kind"];
export type ExperimentNew = Schemas["ExperimentNew"];
export type Explanation = Schemas["Explanation"];
export type FeatureFit = Schemas["FeatureFit"];
export type Figure = Schemas["Figure"];
export type HealthSample = Schemas["HealthSample"];
export type History = Schemas["History"];
export type HistoryPoint = Schemas["HistoryPoint"];
export type Host = Schemas["nalm_core__report__Host"];
export type Integration = Schemas["Integration"];
export type IntegrationCreated = Schemas["IntegrationCreated"];
export type IntegrationNew =
  | Schemas["TokenForgeNew"]
  | Schemas["GithubAppNew"]
  | Schemas["EmailNew"]
  | Schemas["ChatNew"]
  | Schemas["WebhookNew"];
export type Job = Schemas["Job"];
export type JobBrief = Schemas["JobBrief"];
export type JobDetail = Schemas["JobDetail"];
export type JobRequest = Schemas["JobRequest"];
export type JobState = JobBrief["state"];
export type Member = Schemas["Member"];
export type MeasuredModel = Schemas["nalm_core__experiments__result__ModelRow"];
export type Metric = Schemas["Metric"];
export type Models = Schemas["Models"];
export type Mute = Schemas["Mute"];
export type MuteNew = Schemas["MuteNew"];
export type NcppLine = Schemas["NcppLine"];
export type NcppPoint = Schemas["NcppPoint"];
export type NcppTable = Schemas["NcppTable"];
export type OwnTokenNew = Schemas["OwnTokenNew"];
export type Pool = Schemas["Pool"];
export type PriceChange = Schemas["PriceChange"];
export type PriceHistoryLine = Schemas["PriceHistoryLine"];
export type PriceLine = Schemas["PriceLine"];
export type PriceList = Schemas["PriceList"];
export type Project = Schemas["Project"];
export type ProjectSettings = Schemas["ProjectSettings"];
export type Retention = Schemas["Retention"];
export type ProjectTokenNew = Schemas["ProjectTokenNew"];
export type Proportion = Schemas["Proportion"];
export type Quality = Schemas["Quality"];
export type ReadToken = Schemas["ReadToken"];
export type Rules = Schemas["Rules"];
export type RunDetail = Schemas["RunDetail"];
export type RunReport = Schemas["RunReport"];
export type ScenarioModel = Schemas["nalm_server__features__schemas__ModelRow"];
export type ScenarioSummary = Schemas["ScenarioSummary"];
export type Schedule = Schemas["Schedule"];
export type ScheduleChange = Schemas["ScheduleChange"];
export type ScheduleNew = Schemas["ScheduleNew"];
export type Segment = Schemas["Segment"];
export type SignedIn = Schemas["SignedIn"];
export type StageChange = Schemas["StageChange"];
export type StateChange = Schemas["StateChange"];
export type Token = Schemas["Token"];
export type Transition = Schemas["Transition"];
export type Variant = Schemas["Variant"];
export type Verdict = Schemas["Verdict"];
export type VerdictBrief = Schemas["VerdictBrief"];
export type WatchingSettings = Schemas["WatchingSettings"];
export type WatchingShown = Schemas["WatchingShown"];
