/// The requirements of the five schemas on the service. Each case is one statement.
///
/// A test names the statements that it covers with the trait `covers`. `RequirementTests` finds
/// statements without a test.
enum Requirement: String, CaseIterable, Sendable {
  // Every schema.
  case everySchemaIsImportedAndDeployed =
    "Every schema can be imported into development and deployed to production"
  case exportAndImportChangeNothing =
    "A schema that is exported and imported again is the same schema"
  case everyStorageServesThem = "Every kind of storage serves all five schemas"
  case requiredFieldsAreLeftToClients =
    "A field that an app requires may be missing: the service leaves that to clients"
  case customRolesAreKept = "Roles that a schema defines are parsed and kept"
  case unsupportedRequestsSayThatTheyAre =
    "NEAR, token searches and sharing answer with an error that says they are not served"
  case noSchemaNeedsWhatIsNotServed =
    "None of the five schemas has a LOCATION, an own role, or a field that only tokens find"

  // The Quran in Vietnamese.
  case quranHasFiveTypes = "Its five record types have the names and record names of sync"
  case quranFavouritesOfAnOwner = "A sample query finds the favourites of an owner"
  case quranNotesOfAnAyahAndOwner = "A sample query finds the notes of an ayah and an owner"
  case quranProgressBySurah = "A sample query sorts the progress by surahNumber"
  case quranSubscriptions =
    "Its subscriptions to favourites, notes and progress fire on create, update and delete"
  case quranChecklist =
    "Its testing checklist passes, from marking an ayah to deleting the account with all records"
  case quranProductionIsImmutable =
    "In production nothing can be removed, retyped or renamed"
  case quranBatchesAreSplit = "Batches of 400 records are split to the limit of the service"
  case quranIndexes =
    "Its indexes are the union of those in the tables and in the lists of the schema document"
  case quranPublicCreationIsDenied =
    "Grants are to the creator only, so creating in the public database is ACCESS_DENIED"
  case quranReaderSyncs = "The reader itself syncs two devices over HTTP"

  // FameFit.
  case fameFitFields = "User and WorkoutHistory have the documented fields"
  case fameFitFirstIndexes =
    "At first only ___createTime and ___modTime are QUERYABLE SORTABLE, and sort"
  case fameFitSortWithoutIndex =
    "A sort by a field with neither index says: Field 'X' is not marked queryable"
  case fameFitSortWithQueryable =
    "A sort by a field that is only QUERYABLE says: Field 'X' is not marked sortable"
  case fameFitSortableSuffices = "SORTABLE alone suffices for sorting"
  case fameFitRecordNameIsNotQueryable =
    "Field 'recordName' is not marked queryable; cured by an index of ___recordID"
  case fameFitFieldIsNotQueryable =
    "Field X is not marked queryable; cured by an index of the field"
  case fameFitTypeIsNotFound =
    "Did not find record type X; cured by saving it in development and by deploying"
  case fameFitPredicateIsInvalid =
    "Invalid predicate; cured by a comparator that applies to the field's type"
  case fameFitComparatorIsUnknown = "A comparator that does not exist is an invalid predicate, too"
  case fameFitDeprecatedFieldsStay =
    "followerCount and followersEarned stay beside influencerXP and xpEarned"
  case fameFitOldClientsAreServed = "Clients that know only the deprecated fields are still served"
  case fameFitWorkoutsAreSorted = "Workouts are sorted by endDate and startDate once indexed"
  case fameFitIsNotified = "A second device is notified of a workout"

  // Sydoku.
  case sydokuTypes =
    "CD_GameStatistics, CD_SavedGameState and CD_UserSettings are the types of its mirrored model"
  case sydokuEntityNamesAndZone =
    "Records have CD_entityName and are in the zone com.apple.coredata.cloudkit.zone"
  case sydokuAdapters = "Its adapters turn legacy data into models and back without loss"
  case sydokuMigration =
    "User defaults are migrated to the local store, synced, and seen by the second device"
  case sydokuUsesAnExistingModel = "Launch: an existing model is used"
  case sydokuMigratesLegacyData = "Launch: legacy data is found and migrated"
  case sydokuBeginsAnew = "Launch: nothing is found"
  case sydokuSavesBeforeItDeletes = "It saves the models before it deletes the legacy data"
  case sydokuLosesNothingInACrash =
    "A crash between saving and deleting loses nothing, at whatever step"
  case sydokuOverflows = "A game that is too large for its record is saved in an asset"
  case sydokuIsNotified = "The second device sees the statistics after a notification"

  // FitIQ.
  case fitIQEntities = "Its mirrored entities are saved, synced, queried and sorted"
  case fitIQOverflows = "A value that is too large for its record is saved in an asset"
  case fitIQRelationships = "Relationships are fields with the name of the related record"
  case fitIQNotInverse = "The linter reports relationships without an inverse in V9"
  case fitIQNotOptional = "The linter reports relationships in V10 that are not optional"
  case fitIQUnique = "The linter reports the unique constraint of V10"
  case fitIQNoDefault = "The linter reports attributes that are not optional and have no default"
  case fitIQSeveralVersions = "The linter reads several versions of a model at once"
  case fitIQFixed = "The linter is silent about the fixed models"
  case fitIQNotUsedWithCloudKit =
    "A model or configuration that is not used with CloudKit is not linted, and that is said"
  case fitIQGenerate = "The schema of the mirrored types is generated from the model"

  // TribeBoard.
  case tribeBoardFields =
    "CKFamily, CKUserProfile and CKMembership have the documented fields and indexes"
  case tribeBoardZone = "Its records are in the custom zone TribeBoardZone"
  case tribeBoardCascade =
    "Deleting a family or a profile deletes its memberships and nothing else"
  case tribeBoardRoles =
    "In the public database everyone gets nothing, and who is signed in may read and write"
  case tribeBoardRolesAreForPublic = "In the private database the roles do not apply"
  case tribeBoardSubscriptions =
    "Three query subscriptions with a zoneID, one a type, wake the app without showing anything"
  case tribeBoardFamilyByCode = "A query finds the family of a code"
  case tribeBoardProfileByHash = "A query finds the profile of an Apple user id hash"
  case tribeBoardActiveMembers = "A query finds the active memberships of a family"
  case tribeBoardActiveAdmins = "A query finds the active parent admins of a family"
  case tribeBoardQueriesUseIndexes = "The queries search indexes and scan no table"
  case tribeBoardAtomic = "An atomic request is carried out whole or not at all"
  case tribeBoardOneWinner =
    "Of two concurrent atomic requests that change one membership, exactly one succeeds"
  case tribeBoardIndexIsMissing = "Trouble: an index is not found"
  case tribeBoardZoneIsMissing = "Trouble: a subscription to a missing zone is ZONE_NOT_FOUND"
  case tribeBoardTargetIsMissing =
    "Trouble: a reference to a missing target is refused for VALIDATE, allowed for DELETE_SELF"
  case tribeBoardQuota = "Trouble: the quota is exceeded"
  case tribeBoardNeedsSignIn = "A client that is not signed in gets nothing"

  /// The statements that tests of other targets cover, with the names of these tests.
  static let elsewhere: [Requirement: String] = [
    .quranIndexes: "typesAndFieldsAreThoseOfThePhoneApp",
    .fitIQNotInverse: "relationshipsOfFitIQ9HaveNoInverse",
    .fitIQNotOptional: "relationshipsOfFitIQ10AreNotOptionalAndItsIDIsUnique",
    .fitIQUnique: "relationshipsOfFitIQ10AreNotOptionalAndItsIDIsUnique",
    .fitIQNoDefault: "everyRuleFindsItsViolations",
    .fitIQSeveralVersions: "theBrokenModelsAreReportedInTheGroupsOfCloudKit",
    .fitIQFixed: "theFixedModelsAreClean",
    .fitIQNotUsedWithCloudKit: "whatIsNotUsedWithCloudKitIsNotLintedAndSaidSo",
    .fitIQGenerate: "theSchemasAreGeneratedFromTheirModels",
  ]
}
