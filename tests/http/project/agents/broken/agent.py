import a_module_that_nobody_has

agent = a_module_that_nobody_has.agent
