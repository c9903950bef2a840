// SPDX-License-Identifier: Apache-2.0
/** Short names for the generated types; nothing is declared here that the OpenAPI document does not have. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Change = Schemas["Change"];
export type Check = Schemas["Check"];
export type Commit = Schemas["Commit"];
export type CommitRef = Schemas["CommitRef"];
export type Comparison = Schemas["Comparison"];
export type Figure = Schemas["Figure"];
export type History = Schemas["History"];
export type HistoryPoint = Schemas["HistoryPoint"];
export type Host = Schemas["Host"];
export type JobBrief = Schemas["JobBrief"];
export type Metric = Schemas["Metric"];
export type Project = Schemas["Project"];
export type RunDetail = Schemas["RunDetail"];
export type RunReport = Schemas["RunReport"];
export type ScenarioSummary = Schemas["ScenarioSummary"];
export type StageChange = Schemas["StageChange"];
export type Verdict = Schemas["Verdict"];
export type VerdictBrief = Schemas["VerdictBrief"];
